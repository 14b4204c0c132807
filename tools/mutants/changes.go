package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A change replaces the bytes from..to of a file by text that has as many newlines, so that what panics and fails names
// the lines of the source.
type change struct {
	file     string
	from, to int
	text     string
	what     string
	line     int
}

// apply returns the source with the change in it.
func (c *change) apply(source []byte) []byte {
	return slices.Concat(source[:c.from], []byte(c.text), source[c.to:])
}

// A place is a node of the syntax tree that can be changed in one way or another.
type place []change

// swaps has the operators that an operator may become. An operator of comparison moves its boundary or is turned round.
var swaps = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.OR}, token.AND_NOT: {token.AND},
	token.SHL: {token.SHR}, token.SHR: {token.SHL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN}, token.MUL_ASSIGN: {token.QUO_ASSIGN},
	token.OR_ASSIGN: {token.AND_ASSIGN}, token.AND_ASSIGN: {token.OR_ASSIGN}, token.XOR_ASSIGN: {token.OR_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

// placesOf returns the places of a Go file, in their order.
func placesOf(path string) ([]place, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &finder{path: path, source: source, fset: fset}
	ast.PreorderStack(file, nil, f.visit)
	return f.places, nil
}

type finder struct {
	path   string
	source []byte
	fset   *token.FileSet
	places []place
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }
func (f *finder) textOf(from, to token.Pos) string {
	return string(f.source[f.offset(from):f.offset(to)])
}
func (f *finder) text(n ast.Node) string { return f.textOf(n.Pos(), n.End()) }

func (f *finder) change(from, to token.Pos, what, text string) change {
	line := f.fset.Position(from).Line
	return change{file: f.path, from: f.offset(from), to: f.offset(to), text: text, what: what, line: line}
}

// add notes a place. Of each change there is a description, then the new text.
func (f *finder) add(from, to token.Pos, whatAndText ...string) {
	var p place
	for pair := range slices.Chunk(whatAndText, 2) {
		p = append(p, f.change(from, to, pair[0], pair[1]))
	}
	f.places = append(f.places, p)
}

func (f *finder) operator(at token.Pos, op token.Token) {
	var changes []string
	for _, other := range swaps[op] {
		changes = append(changes, fmt.Sprintf("%s for %s", other, op), other.String())
	}
	if changes != nil {
		f.add(at, at+token.Pos(len(op.String())), changes...)
	}
}

func (f *finder) visit(n ast.Node, above []ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.Field:
		return false
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.CommClause:
		f.statements(n.Body)
	case *ast.ExprStmt:
		return !logs(n)
	case *ast.IfStmt:
		c := f.text(n.Cond)
		changes := []string{"condition false", "false && (" + c + ")"}
		if !failed(n.Cond) {
			changes = append(changes, "condition negated", "!("+c+")", "condition true", "true || ("+c+")")
		}
		f.add(n.Cond.Pos(), n.Cond.End(), changes...)
	case *ast.BinaryExpr:
		if !failed(n) {
			f.operator(n.OpPos, n.Op)
		}
	case *ast.AssignStmt:
		f.operator(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		f.operator(n.TokPos, n.Tok)
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			f.add(n.OpPos, n.OpPos+1, "without "+n.Op.String(), " ")
		}
	case *ast.ForStmt:
		f.once(n.Body)
	case *ast.RangeStmt:
		f.rangeOver(n)
	case *ast.ReturnStmt:
		f.results(n, above)
	case *ast.CallExpr:
		if called, ok := n.Fun.(*ast.Ident); ok && (called.Name == "min" || called.Name == "max") && len(n.Args) > 1 {
			other := map[string]string{"min": "max", "max": "min"}[called.Name]
			f.add(n.Fun.Pos(), n.Fun.End(), other+" for "+called.Name, other)
		}
	case *ast.BasicLit:
		if n.Kind == token.INT && !f.besideError(n, above) {
			f.add(n.Pos(), n.End(), "one more", "("+n.Value+"+1)", "one less", "("+n.Value+"-1)")
		}
	case *ast.Ident:
		if other := map[string]string{"true": "false", "false": "true"}[n.Name]; other != "" && !f.besideError(n, above) {
			f.add(n.Pos(), n.End(), other+" for "+n.Name, other)
		}
	}
	return true
}

// besideError reports whether a constant is returned together with an error. Such a result says nothing.
func (f *finder) besideError(constant ast.Expr, above []ast.Node) bool {
	n, ok := above[len(above)-1].(*ast.ReturnStmt)
	types := f.resultTypes(above)
	return ok && types[len(types)-1] == "error" && n.Results[len(n.Results)-1] != constant &&
		f.text(n.Results[len(n.Results)-1]) != "nil"
}

// statements notes every statement that can be left out. It stays in the text, so that no variable or import is unused.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ExprStmt:
			if logs(s) {
				continue
			}
		case *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.BranchStmt, *ast.ForStmt, *ast.RangeStmt:
		default:
			continue
		}
		f.add(s.Pos(), s.End(), "left out", "if false { "+f.text(s)+" }")
	}
}

// once notes that a loop can end after its first round.
func (f *finder) once(body *ast.BlockStmt) {
	f.add(body.Rbrace, body.Rbrace+1, "loop ends after one round", "; break }")
}

func (f *finder) rangeOver(n *ast.RangeStmt) {
	f.once(n.Body)
	switch n.X.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		x := f.text(n.X)
		f.add(n.X.Pos(), n.X.End(),
			"without the first", fmt.Sprintf("%s[min(1, len(%[1]s)):]", x),
			"without the last", fmt.Sprintf("%s[:max(0, len(%[1]s)-1)]", x))
	}
}

// results notes the results of a return. They are still computed, and another one is returned: the opposite of a
// condition, no error, or the type's zero.
func (f *finder) results(n *ast.ReturnStmt, above []ast.Node) {
	types := f.resultTypes(above)
	if len(types) != len(n.Results) {
		return
	}
	for i, r := range n.Results {
		switch text := f.text(r); {
		case slices.Contains([]string{"nil", "0", `""`, "false", "true", types[i] + "{}"}, text):
		case types[i] == "bool":
			f.add(r.Pos(), r.End(), "result negated", "!("+text+")")
		case types[i] == "error":
			f.add(r.Pos(), r.End(), "error swallowed", "func(error) error { return nil }("+text+")")
		default:
			f.add(r.Pos(), r.End(), "zero returned", fmt.Sprintf("func(%s) (zero %[1]s) { return }(%s)", types[i], text))
		}
	}
}

// resultTypes returns the types of the results of the innermost function, as they are written.
func (f *finder) resultTypes(above []ast.Node) (types []string) {
	for _, n := range slices.Backward(above) {
		var t *ast.FuncType
		switch n := n.(type) {
		case *ast.FuncDecl:
			t = n.Type
		case *ast.FuncLit:
			t = n.Type
		default:
			continue
		}
		if t.Results != nil {
			for _, r := range t.Results.List {
				for range max(1, len(r.Names)) {
					types = append(types, f.text(r.Type))
				}
			}
		}
		return types
	}
	return nil
}

// failed reports whether an expression asks for an error. Such a condition is only ever made false: every test notices
// a failure without an error.
func failed(x ast.Expr) bool {
	b, ok := x.(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ {
		return false
	}
	left, ok := b.X.(*ast.Ident)
	right, isNil := b.Y.(*ast.Ident)
	return ok && isNil && right.Name == "nil" && strings.HasPrefix(left.Name, "err")
}

// logs reports whether a statement only logs. Such a statement has no result, and is not changed.
func logs(s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	levels := []string{"Debug", "Info", "Warn", "Error"}
	return ok && slices.Contains(levels, strings.TrimSuffix(method.Sel.Name, "Context"))
}

// at reports whether the change lies in the file and line that where names, as "file.go:12".
func (c *change) at(where string) bool {
	return fmt.Sprintf("%s:%d", filepath.Base(c.file), c.line) == where
}
