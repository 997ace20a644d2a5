/*
 * Engine `follow`: the order of accesses that a trace of scheme rw or rw:leap has (trace.h), as a schedule. Nothing is
 * inferred. A wait that program order and other waits imply is left out.
 */
#ifndef RETHREAD_FOLLOW_H
#define RETHREAD_FOLLOW_H

#include "model/schedule.h"
#include "trace/trace.h"

bool follow(const struct trace *t, struct schedule *s, struct error *err);

#endif
