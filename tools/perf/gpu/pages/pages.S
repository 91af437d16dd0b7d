/* SPDX-License-Identifier: GPL-2.0 */
/* See pages.h. */

/* one file, or several that are one after the other */
.macro page name, files:vararg
	.globl	\name
	.type	\name, %object
\name:
	.irp	file, \files
	.incbin	"\file"
	.endr
	.byte	0
	.size	\name, . - \name
.endm

	.section .rodata
	page	page_flamegraph_css, "pages/flamegraph.css"
	page	page_flamegraph_js, "pages/flamegraph.js"
	page	page_timeline_css, "pages/timeline.css"
	page	page_timeline_html, "pages/timeline.html"
	page	page_timeline_js, "pages/timeline/data.js", "pages/timeline/tracks.js", \
		"pages/timeline/draw.js", "pages/timeline/ui.js"

	.section .note.GNU-stack, "", %progbits
