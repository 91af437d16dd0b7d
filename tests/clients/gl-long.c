// SPDX-License-Identifier: GPL-2.0
/*
 * A GL client that draws one picture which takes long, and waits for it in one
 * glFinish(). usage: gl-long [ITERATIONS]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <gbm.h>

#include "virtgpu.h"

#define SIZE	512

static const char vertex_shader[] =
	"attribute vec2 at;\n"
	"void main() { gl_Position = vec4(at, 0.0, 1.0); }\n";

/* the result depends on each turn of the loop, so that none can be left out */
static const char fragment_shader[] =
	"precision highp float;\n"
	"uniform int turns;\n"
	"void main() {\n"
	"	vec2 z = gl_FragCoord.xy / 512.0;\n"
	"	for (int i = 0; i < 1000000; i++) {\n"
	"		if (i >= turns)\n"
	"			break;\n"
	"		z = vec2(sin(z.x * 1.7 + z.y), cos(z.y * 1.3 - z.x));\n"
	"	}\n"
	"	gl_FragColor = vec4(z, 0.5, 1.0);\n"
	"}\n";

static void die(const char *what)
{
	fprintf(stderr, "gl-long: %s\n", what);
	exit(1);
}

static void context_make(void)
{
	static const EGLint attribs[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
	int fd = open(VIRTGPU_RENDER_NODE, O_RDWR | O_CLOEXEC);
	struct gbm_device *gbm = fd < 0 ? NULL : gbm_create_device(fd);
	EGLDisplay display;
	EGLContext context;

	if (!gbm)
		die("no GPU");
	display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_MESA, gbm, NULL);
	if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))
		die("no EGL");
	context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attribs);
	if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
		die("no context");
}

static void target_make(void)
{
	GLuint texture, framebuffer;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA,
		     GL_UNSIGNED_BYTE, NULL);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
			       texture, 0);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		die("no framebuffer");
	glViewport(0, 0, SIZE, SIZE);
}

static void shader_add(GLuint program, GLenum type, const char *text)
{
	GLuint shader = glCreateShader(type);
	GLint ok;

	glShaderSource(shader, 1, &text, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
	if (!ok)
		die("a shader does not compile");
	glAttachShader(program, shader);
}

static GLuint program_make(void)
{
	GLuint program = glCreateProgram();
	GLint ok;

	shader_add(program, GL_VERTEX_SHADER, vertex_shader);
	shader_add(program, GL_FRAGMENT_SHADER, fragment_shader);
	glBindAttribLocation(program, 0, "at");
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &ok);
	if (!ok)
		die("the program does not link");
	glUseProgram(program);
	return program;
}

int main(int argc, char **argv)
{
	static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };
	GLuint program;

	context_make();
	target_make();
	program = program_make();
	glUniform1i(glGetUniformLocation(program, "turns"),
		    argc > 1 ? atoi(argv[1]) : 1000);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
	glEnableVertexAttribArray(0);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glFinish();
	if (glGetError())
		die("GL error");
	return 0;
}
