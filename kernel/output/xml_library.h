/*
 * xml_library: libxml2's HTML parser, loaded when it is first needed.
 *
 * Not with the program: few cells need it, and it and its libraries take 2.5 ms to
 * load.
 */
#pragma once

#include <libxml/HTMLparser.h>

#include "common/error.h"

/* What is used of libxml2. */
#define XML_FUNCTIONS(X)        \
    X(htmlCreatePushParserCtxt) \
    X(htmlCtxtUseOptions)       \
    X(htmlFreeParserCtxt)       \
    X(htmlParseChunk)           \
    X(xmlStopParser)

struct xml_functions {
#define X(name) __typeof__(name) *name;
    XML_FUNCTIONS(X)
#undef X
};

/* xml.htmlParseChunk() and so on, once xml_library_load has succeeded. */
extern struct xml_functions xml;

/* Again and again if you like. */
int xml_library_load(struct error *err) MUST_CHECK;
