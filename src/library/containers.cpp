/*
 * What libstdc++ does to the nodes of std::map, std::set and std::list in functions of its own, which inference and replay see
 * nothing of. Programs get these here instead, as bitcode like their own code (src/cc/link.c), so that every access is a
 * SAP: containers that threads share without a lock, or with locks whose order was not recorded, are inferred like any
 * other structure. Weak: a program that brings its own keeps them.
 *
 * Red-black trees as in Cormen, Leiserson, Rivest and Stein, chapter 13, with the library's header node: its parent is the root,
 * its left and right the first and the last node.
 */
#include <list>
#include <map>
#include <utility>

#define WEAK __attribute__((weak))

namespace std
{
using node = _Rb_tree_node_base;

static node *first_of(node *x)
{
	while (x->_M_left)
		x = x->_M_left;
	return x;
}

static node *last_of(node *x)
{
	while (x->_M_right)
		x = x->_M_right;
	return x;
}

/* ---- iteration ---- */

static node *next_of(node *x)
{
	if (x->_M_right)
		return first_of(x->_M_right);
	node *above = x->_M_parent;
	while (x == above->_M_right) {
		x = above;
		above = above->_M_parent;
	}
	/* The root without a right child is the header's neighbour on both sides. */
	return x->_M_right != above ? above : x;
}

static node *previous_of(node *x)
{
	if (x->_M_color == _S_red && x->_M_parent->_M_parent == x)
		return x->_M_right; /* the header */
	if (x->_M_left)
		return last_of(x->_M_left);
	node *above = x->_M_parent;
	while (x == above->_M_left) {
		x = above;
		above = above->_M_parent;
	}
	return above;
}

WEAK node *_Rb_tree_increment(node *x) throw()
{
	return next_of(x);
}

WEAK const node *_Rb_tree_increment(const node *x) throw()
{
	return next_of(const_cast<node *>(x));
}

WEAK node *_Rb_tree_decrement(node *x) throw()
{
	return previous_of(x);
}

WEAK const node *_Rb_tree_decrement(const node *x) throw()
{
	return previous_of(const_cast<node *>(x));
}

/* ---- balance ---- */

/* What hung at `old` hangs at `fresh` now, as far as those above are concerned. */
static void replace_below(node *old, node *fresh, node *&root)
{
	if (old == root)
		root = fresh;
	else if (old == old->_M_parent->_M_left)
		old->_M_parent->_M_left = fresh;
	else
		old->_M_parent->_M_right = fresh;
}

static void rotate_left(node *x, node *&root)
{
	node *y = x->_M_right;
	x->_M_right = y->_M_left;
	if (y->_M_left)
		y->_M_left->_M_parent = x;
	y->_M_parent = x->_M_parent;
	replace_below(x, y, root);
	y->_M_left = x;
	x->_M_parent = y;
}

static void rotate_right(node *x, node *&root)
{
	node *y = x->_M_left;
	x->_M_left = y->_M_right;
	if (y->_M_right)
		y->_M_right->_M_parent = x;
	y->_M_parent = x->_M_parent;
	replace_below(x, y, root);
	y->_M_right = x;
	x->_M_parent = y;
}

static bool is_black(const node *x)
{
	return !x || x->_M_color == _S_black;
}

static void hang(bool left, node *x, node *above, node &header)
{
	x->_M_parent = above;
	x->_M_left = x->_M_right = nullptr;
	x->_M_color = _S_red;
	if (left) {
		above->_M_left = x; /* of the header: the first node */
		if (above == &header) {
			header._M_parent = x;
			header._M_right = x;
		} else if (above == header._M_left) {
			header._M_left = x;
		}
	} else {
		above->_M_right = x;
		if (above == header._M_right)
			header._M_right = x;
	}
}

WEAK void _Rb_tree_insert_and_rebalance(const bool left, node *x, node *above, node &header) throw()
{
	node *&root = header._M_parent;
	hang(left, x, above, header);
	while (x != root && x->_M_parent->_M_color == _S_red) {
		node *grand = x->_M_parent->_M_parent;
		bool on_left = x->_M_parent == grand->_M_left;
		node *uncle = on_left ? grand->_M_right : grand->_M_left;
		if (!is_black(uncle)) {
			x->_M_parent->_M_color = _S_black;
			uncle->_M_color = _S_black;
			grand->_M_color = _S_red;
			x = grand;
			continue;
		}
		if (on_left && x == x->_M_parent->_M_right) {
			x = x->_M_parent;
			rotate_left(x, root);
		} else if (!on_left && x == x->_M_parent->_M_left) {
			x = x->_M_parent;
			rotate_right(x, root);
		}
		x->_M_parent->_M_color = _S_black;
		grand->_M_color = _S_red;
		if (on_left)
			rotate_right(grand, root);
		else
			rotate_left(grand, root);
	}
	root->_M_color = _S_black;
}

/* Below `above` there is one black node less than elsewhere, on the side where x is, which may be null. */
static void balance_after_erase(node *x, node *above, node *&root)
{
	while (x != root && is_black(x)) {
		bool on_left = x == above->_M_left;
		node *sibling = on_left ? above->_M_right : above->_M_left;
		if (sibling->_M_color == _S_red) {
			sibling->_M_color = _S_black;
			above->_M_color = _S_red;
			if (on_left)
				rotate_left(above, root);
			else
				rotate_right(above, root);
			sibling = on_left ? above->_M_right : above->_M_left;
		}
		if (is_black(sibling->_M_left) && is_black(sibling->_M_right)) {
			sibling->_M_color = _S_red;
			x = above;
			above = above->_M_parent;
			continue;
		}
		if (on_left) {
			if (is_black(sibling->_M_right)) {
				sibling->_M_left->_M_color = _S_black;
				sibling->_M_color = _S_red;
				rotate_right(sibling, root);
				sibling = above->_M_right;
			}
			sibling->_M_right->_M_color = _S_black;
		} else {
			if (is_black(sibling->_M_left)) {
				sibling->_M_right->_M_color = _S_black;
				sibling->_M_color = _S_red;
				rotate_left(sibling, root);
				sibling = above->_M_left;
			}
			sibling->_M_left->_M_color = _S_black;
		}
		sibling->_M_color = above->_M_color;
		above->_M_color = _S_black;
		if (on_left)
			rotate_left(above, root);
		else
			rotate_right(above, root);
		break;
	}
	if (x)
		x->_M_color = _S_black;
}

/* y, the next node after z and without a left child, takes the place of z; returns what hangs where y was. */
static node *take_place(node *y, node *z, node *&above, node *&root)
{
	node *x = y->_M_right;
	above = y;
	z->_M_left->_M_parent = y;
	y->_M_left = z->_M_left;
	if (y != z->_M_right) {
		above = y->_M_parent;
		if (x)
			x->_M_parent = above;
		above->_M_left = x;
		y->_M_right = z->_M_right;
		z->_M_right->_M_parent = y;
	}
	replace_below(z, y, root);
	y->_M_parent = z->_M_parent;
	swap(y->_M_color, z->_M_color);
	return x;
}

/* z has one child or none, which takes its place; returns it. */
static node *unhang(node *z, node *&above, node &header)
{
	node *x = z->_M_left ? z->_M_left : z->_M_right;
	above = z->_M_parent;
	if (x)
		x->_M_parent = above;
	replace_below(z, x, header._M_parent);
	if (header._M_left == z)
		header._M_left = z->_M_right ? first_of(x) : above;
	if (header._M_right == z)
		header._M_right = z->_M_left ? last_of(x) : above;
	return x;
}

WEAK node *_Rb_tree_rebalance_for_erase(node *const z, node &header) throw()
{
	node *&root = header._M_parent, *above;
	node *x = z->_M_left && z->_M_right ? take_place(first_of(z->_M_right), z, above, root) : unhang(z, above, header);
	if (z->_M_color != _S_red)
		balance_after_erase(x, above, root);
	return z;
}

/* ---- lists ---- */

namespace __detail
{
WEAK void _List_node_base::_M_hook(_List_node_base *const at) noexcept
{
	_M_next = at;
	_M_prev = at->_M_prev;
	at->_M_prev->_M_next = this;
	at->_M_prev = this;
}

WEAK void _List_node_base::_M_unhook() noexcept
{
	_List_node_base *after = _M_next, *before = _M_prev;
	before->_M_next = after;
	after->_M_prev = before;
}

/* [first, last) comes before this. */
WEAK void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const last) noexcept
{
	if (this == last)
		return;
	_List_node_base *before = _M_prev;
	last->_M_prev->_M_next = this;
	first->_M_prev->_M_next = last;
	before->_M_next = first;
	_M_prev = last->_M_prev;
	last->_M_prev = first->_M_prev;
	first->_M_prev = before;
}

WEAK void _List_node_base::_M_reverse() noexcept
{
	_List_node_base *at = this;
	do {
		std::swap(at->_M_next, at->_M_prev);
		at = at->_M_prev;
	} while (at != this);
}
} // namespace __detail
} // namespace std
