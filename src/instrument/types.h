/*
 * Types of the source, as the debug information in LLVM's metadata has them. All functions take a type that is not NULL unless they say otherwise, and
 * give NULL, or a struct plain without a type, for what there is not.
 */
#ifndef RETHREAD_INSTRUMENT_TYPES_H
#define RETHREAD_INSTRUMENT_TYPES_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <stdint.h>

/* DW_TAG_*; the pass has no header of DWARF. */
enum {
	TAG_ARRAY = 0x01, TAG_CLASS = 0x02, TAG_MEMBER = 0x0d, TAG_POINTER = 0x0f, TAG_REFERENCE = 0x10, TAG_STRUCTURE = 0x13,
	TAG_TYPEDEF = 0x16, TAG_UNION = 0x17, TAG_INHERITANCE = 0x1c, TAG_CONST = 0x26, TAG_VOLATILE = 0x35, TAG_RESTRICT = 0x37,
	TAG_NAMESPACE = 0x39, TAG_RVALUE_REFERENCE = 0x42, TAG_ATOMIC = 0x47,
};

/* Operands of types in LLVM's metadata. */
enum { TYPE_SCOPE = 1, TYPE_NAME = 2, TYPE_BASE = 3, TYPE_ELEMENTS = 4, TYPE_PARAMETERS = 6, TYPE_IDENTIFIER = 7, PARAMETER_TYPE = 1, SUBPROGRAM_TYPE = 4, SUBROUTINE_TYPES = 3 };

/* A type without typedefs and qualifiers, and the last name that was taken off. */
struct plain {
	LLVMMetadataRef type; /* NULL: void, or nothing known */
	const char *name;
};

/* An operand that is a node, or a text that is not empty. */
LLVMMetadataRef type_node(LLVMMetadataRef of, unsigned index);
const char *type_text(LLVMMetadataRef of, unsigned index);

struct plain type_plain(LLVMMetadataRef type);   /* of NULL, too */
struct plain type_pointee(LLVMMetadataRef type); /* of NULL, too; nothing of what is no pointer or reference */
uint64_t type_bytes(LLVMMetadataRef type);
bool type_is_record(LLVMMetadataRef type); /* a structure, class or union that is more than declared; NULL is none */

/*
 * The member or base class of a structure with the byte at `*offset`, which becomes the one in there; the last, since members may lie in the
 * padding of a base class. *member, unchanged where there is none, is the member itself.
 */
struct plain type_member_at(LLVMMetadataRef type, uint64_t *offset, LLVMMetadataRef *member);

/* Is the last member an array without a size? */
bool type_has_open_end(LLVMMetadataRef type);

/* Down, through members and elements, to where `stops` holds; nothing when that is nowhere. */
typedef bool type_stop(LLVMMetadataRef type, uint64_t offset, uint64_t wanted);
struct plain type_descend(struct plain p, uint64_t *offset, type_stop *stops, uint64_t wanted);
bool type_is_pointer_at(LLVMMetadataRef type, uint64_t offset, uint64_t unused);
bool type_is_record_of_size(LLVMMetadataRef type, uint64_t unused, uint64_t wanted);

/* Does it begin with the other, of the same size? A class may add a member where its base has padding. */
bool type_begins_with(LLVMMetadataRef type, LLVMMetadataRef other);

/* Of the standard library: in namespace std, or a class of one that is. */
bool type_is_of_library(LLVMMetadataRef type);

#endif
