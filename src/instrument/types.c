#include "instrument/types.h"

#include "instrument/pass.h"

#include <string.h>

LLVMMetadataRef type_node(LLVMMetadataRef of, unsigned index)
{
	return llvm_node_operand(of, index);
}

const char *type_text(LLVMMetadataRef of, unsigned index)
{
	LLVMMetadataRef text = llvm_node_operand(of, index);
	return text ? llvm_node_text(text) : NULL;
}

struct plain type_plain(LLVMMetadataRef type)
{
	struct plain p = {type, NULL};
	for (int i = 0; p.type && i < 32; i++) {
		switch (LLVMGetDINodeTag(p.type)) {
		case TAG_TYPEDEF:
			p.name = type_text(p.type, TYPE_NAME);
			break;
		case TAG_CONST:
		case TAG_VOLATILE:
		case TAG_RESTRICT:
		case TAG_ATOMIC:
			break;
		default:
			return p;
		}
		p.type = type_node(p.type, TYPE_BASE);
	}
	return (struct plain){0};
}

uint64_t type_bytes(LLVMMetadataRef type)
{
	return LLVMDITypeGetSizeInBits(type) / 8;
}

bool type_is_record(LLVMMetadataRef type)
{
	unsigned tag = type ? LLVMGetDINodeTag(type) : 0;
	return (tag == TAG_STRUCTURE || tag == TAG_CLASS || tag == TAG_UNION) && !(LLVMDITypeGetFlags(type) & LLVMDIFlagFwdDecl);
}

struct plain type_pointee(LLVMMetadataRef type)
{
	struct plain p = type_plain(type);
	unsigned tag = p.type ? LLVMGetDINodeTag(p.type) : 0;
	if (tag != TAG_POINTER && tag != TAG_REFERENCE && tag != TAG_RVALUE_REFERENCE)
		return (struct plain){0};
	return type_plain(type_node(p.type, TYPE_BASE));
}

struct plain type_member_at(LLVMMetadataRef type, uint64_t *offset, LLVMMetadataRef *member)
{
	LLVMMetadataRef list = type_node(type, TYPE_ELEMENTS);
	unsigned n = list ? llvm_node_operands(list) : 0;
	struct plain found = {0};
	uint64_t start = 0;
	for (unsigned i = 0; i < n; i++) {
		LLVMMetadataRef m = type_node(list, i);
		unsigned tag = m ? LLVMGetDINodeTag(m) : 0;
		if ((tag != TAG_MEMBER && tag != TAG_INHERITANCE) || LLVMDITypeGetFlags(m) & (LLVMDIFlagStaticMember | LLVMDIFlagVirtual))
			continue;
		uint64_t from = LLVMDITypeGetOffsetInBits(m) / 8;
		struct plain p = type_plain(type_node(m, TYPE_BASE));
		if (p.type && *offset >= from && *offset - from < type_bytes(p.type) && (!found.type || from > start)) {
			found = p;
			start = from;
			*member = m;
		}
	}
	*offset -= start;
	return found;
}

bool type_has_open_end(LLVMMetadataRef type)
{
	LLVMMetadataRef list = type_node(type, TYPE_ELEMENTS);
	unsigned n = list ? llvm_node_operands(list) : 0;
	bool open = false;
	for (unsigned i = 0; i < n && !open; i++) {
		LLVMMetadataRef m = type_node(list, i);
		struct plain p = m && LLVMGetDINodeTag(m) == TAG_MEMBER ? type_plain(type_node(m, TYPE_BASE)) : (struct plain){0};
		open = p.type && LLVMGetDINodeTag(p.type) == TAG_ARRAY && !type_bytes(p.type);
	}
	return open;
}

struct plain type_descend(struct plain p, uint64_t *offset, type_stop *stops, uint64_t wanted)
{
	for (int i = 0; p.type && i < 32 && !stops(p.type, *offset, wanted); i++) {
		if (LLVMGetDINodeTag(p.type) == TAG_ARRAY) {
			p = type_plain(type_node(p.type, TYPE_BASE));
			*offset = p.type && type_bytes(p.type) ? *offset % type_bytes(p.type) : 0;
		} else if (type_is_record(p.type)) {
			p = type_member_at(p.type, offset, &(LLVMMetadataRef){NULL});
		} else {
			return (struct plain){0};
		}
	}
	return p;
}

bool type_is_pointer_at(LLVMMetadataRef type, uint64_t offset, uint64_t wanted)
{
	unsigned tag = LLVMGetDINodeTag(type);
	(void)wanted;
	return !offset && (tag == TAG_POINTER || tag == TAG_REFERENCE || tag == TAG_RVALUE_REFERENCE);
}

bool type_is_record_of_size(LLVMMetadataRef type, uint64_t offset, uint64_t wanted)
{
	(void)offset;
	return type_is_record(type) && type_bytes(type) == wanted;
}

bool type_begins_with(LLVMMetadataRef type, LLVMMetadataRef other)
{
	struct plain p = {type, NULL};
	uint64_t offset = 0;
	for (int i = 0; p.type && p.type != other && type_is_record(p.type) && i < 32; i++)
		p = type_member_at(p.type, &offset, &(LLVMMetadataRef){NULL});
	return p.type == other && type != other;
}

bool type_is_of_library(LLVMMetadataRef type)
{
	LLVMMetadataRef scope = type;
	for (int i = 0; scope && i < 32; i++) {
		unsigned tag = LLVMGetDINodeTag(scope);
		const char *name = tag == TAG_NAMESPACE ? type_text(scope, TYPE_NAME) : NULL;
		if (name && (!strcmp(name, "std") || !strcmp(name, "__gnu_cxx")))
			return true;
		if (tag != TAG_NAMESPACE && !type_is_record(scope))
			return false;
		scope = type_node(scope, TYPE_SCOPE);
	}
	return false;
}
