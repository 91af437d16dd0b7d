# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A browser that is driven through the WebDriver protocol, by curl. Sourced.

wd_folder=
wd_pid=
wd_session=

# wd_start FOLDER: a browser, whose files are in FOLDER. 1 if there is none.
wd_start()
{
	local port

	wd_folder=$1
	mkdir -p "$wd_folder"
	rm -rf "$wd_folder/log" "$wd_folder/profile"
	# it says which port it has
	TMPDIR=$wd_folder setsid chromedriver --port=0 >"$wd_folder/log" 2>&1 &
	wd_pid=$!
	for _ in $(seq 100); do
		port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' "$wd_folder/log")
		[ -z "$port" ] || break
		sleep 0.1
	done
	[ -n "$port" ] || return
	wd_session=http://127.0.0.1:$port
	wd_session=$wd_session/session/$(jq -n --arg profile "$wd_folder/profile" '
		{capabilities: {alwaysMatch: {browserName: "chrome",
			"goog:loggingPrefs": {browser: "ALL"},
			"goog:chromeOptions": {args: ["--headless=new", "--no-sandbox",
				"--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
				"--force-device-scale-factor=1", "--no-first-run",
				"--user-data-dir=" + $profile]}}}}' |
		wd_post /session | jq -r '.sessionId')
	[[ $wd_session != */null ]]
}

wd_stop()
{
	[ -z "$wd_session" ] || curl -s -m 10 -X DELETE "$wd_session" >/dev/null
	# its process group, which has the browser, if that is still there
	[ -z "$wd_pid" ] || kill -- "-$wd_pid" 2>/dev/null
	wd_session=
	wd_pid=
}

# wd_post PATH: the JSON of standard input; prints the answer's value
wd_post()
{
	local answer

	answer=$(curl -s -m 60 -H 'Content-Type: application/json' --data-binary @- \
		"$wd_session$1") || return
	jq -c 'if (.value | type) == "object" and .value.error
		then .value.message | ("# browser: " + .) | halt_error
		elif .value == null then "" else .value end' <<<"$answer"
}

# wd_open URL
wd_open()
{
	jq -n --arg url "$1" '{url: $url}' | wd_post /url >/dev/null
}

# wd_size WIDTH HEIGHT: of the page itself
wd_size()
{
	jq -n --argjson w "$1" --argjson h "$2" '{cmd: "Emulation.setDeviceMetricsOverride",
		params: {width: $w, height: $h, deviceScaleFactor: 1, mobile: false}}' |
		wd_post /goog/cdp/execute >/dev/null
}

# wd_theme light|dark
wd_theme()
{
	jq -n --arg theme "$1" '{cmd: "Emulation.setEmulatedMedia",
		params: {features: [{name: "prefers-color-scheme", value: $theme}]}}' |
		wd_post /goog/cdp/execute >/dev/null
}

# wd_js SCRIPT: prints as JSON what it returns. The page has drawn by then.
wd_js()
{
	jq -n --arg script "const done = arguments[0];
		requestAnimationFrame(() => setTimeout(() => {
			try { done((() => { $1 })() ?? null); } catch (e) { done('error: ' + e); }
		}))" '{script: $script, args: []}' | wd_post /execute/async
}

# wd_text SCRIPT: the same, a text without its quotes
wd_text()
{
	wd_js "$1" | jq -r .
}

wd_pointer() # ACTION...: JSON
{
	jq -n --argjson actions "[$(IFS=,; echo "$*")]" '{actions: [{type: "pointer", id: "mouse",
		parameters: {pointerType: "mouse"}, actions: $actions}]}' |
		wd_post /actions >/dev/null
}

wd_move_action() # X Y
{
	jq -nc --argjson x "$1" --argjson y "$2" \
		'{type: "pointerMove", duration: 20, x: ($x | round), y: ($y | round)}'
}

wd_move()
{
	wd_pointer "$(wd_move_action "$1" "$2")"
}

wd_click() # X Y
{
	wd_pointer "$(wd_move_action "$1" "$2")" '{"type":"pointerDown","button":0}' \
		'{"type":"pointerUp","button":0}'
}

wd_drag() # X Y X Y
{
	wd_pointer "$(wd_move_action "$1" "$2")" '{"type":"pointerDown","button":0}' \
		"$(wd_move_action "$3" "$4")" '{"type":"pointerUp","button":0}'
}

wd_wheel() # X Y DOWN
{
	jq -n --argjson x "$1" --argjson y "$2" --argjson down "$3" '{actions: [{type: "wheel",
		id: "wheel", actions: [{type: "scroll", x: ($x | round), y: ($y | round),
		deltaX: 0, deltaY: $down}]}]}' | wd_post /actions >/dev/null
}

# wd_keys TEXT...: typed, one after the other; see WebDriver for the codes of keys
wd_keys()
{
	local text

	for text; do
		jq -n --arg text "$text" '{actions: [{type: "key", id: "keys", actions: [
			($text | split("")[]) as $key | {type: "keyDown", value: $key},
			{type: "keyUp", value: $key}]}]}' | wd_post /actions >/dev/null || return
	done
}

# with Ctrl held
wd_ctrl() # KEY
{
	jq -n --arg key "$1" '{actions: [{type: "key", id: "keys", actions: [
		{type: "keyDown", value: "\ue009"}, {type: "keyDown", value: $key},
		{type: "keyUp", value: $key}, {type: "keyUp", value: "\ue009"}]}]}' |
		wd_post /actions >/dev/null
}

wd_screenshot() # FILE
{
	curl -s -m 60 "$wd_session/screenshot" | jq -r .value | base64 -d >"$1"
}

# what the page has written to the console since the last time, a line each
wd_console()
{
	wd_post /se/log <<<'{"type":"browser"}' | jq -r '.[] | "\(.level) \(.message)"'
}

WD_ESCAPE=$'\ue00c'
WD_ENTER=$'\ue007'
WD_UP=$'\ue013'
WD_RIGHT=$'\ue014'
