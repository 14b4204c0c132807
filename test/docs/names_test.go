package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A folder is the Go files of a folder: the names that they declare, as Name, Type.Method and Type.Field, and the lines
// of their comments.
type folder struct {
	name     string // of the package
	declared map[string]bool
	comments map[string]string // by place
	imports  map[string]bool   // last elements of the paths of imports from elsewhere
}

// folders reads all Go files, by their folders from the root.
func folders(t *testing.T) map[string]*folder {
	t.Helper()
	all := make(map[string]*folder)
	fset := token.NewFileSet()
	for name, text := range source(t, func(string) bool { return true }) {
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Dir(strings.TrimPrefix(filepath.ToSlash(name), root+"/"))
		f := all[dir]
		if f == nil {
			f = &folder{declared: make(map[string]bool), comments: make(map[string]string), imports: make(map[string]bool)}
			all[dir] = f
		}
		f.name = strings.TrimSuffix(file.Name.Name, "_test")
		for _, i := range file.Imports {
			if p := strings.Trim(i.Path.Value, `"`); !strings.HasPrefix(p, "pagoda/") {
				f.imports[path.Base(p)] = true
			}
		}
		for _, d := range file.Decls {
			f.declare(d)
		}
		for _, g := range file.Comments {
			for _, c := range g.List {
				f.comments[fset.Position(c.Pos()).String()] = c.Text
			}
		}
	}
	return all
}

// declare notes the names of a declaration.
func (f *folder) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil && len(d.Recv.List) == 1 {
			name = typeName(d.Recv.List[0].Type) + "." + name
		}
		f.declared[name] = true
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					f.declared[n.Name] = true
				}
			case *ast.TypeSpec:
				f.declared[s.Name.Name] = true
				f.members(s.Name.Name, s.Type)
			}
		}
	}
}

// members notes the fields and methods of a type. An embedded type brings members that are not known here: "Type.*".
func (f *folder) members(name string, of ast.Expr) {
	var list *ast.FieldList
	switch of := of.(type) {
	case *ast.StructType:
		list = of.Fields
	case *ast.InterfaceType:
		list = of.Methods
	case *ast.Ident, *ast.SelectorExpr:
		f.declared[name+".*"] = true
		return
	default:
		return
	}
	for _, m := range list.List {
		if len(m.Names) == 0 {
			f.declared[name+".*"] = true
			f.declared[name+"."+typeName(m.Type)] = true
		}
		for _, n := range m.Names {
			f.declared[name+"."+n.Name] = true
		}
	}
}

// typeName is the name of a receiver's or an embedded field's type, without package and parameters.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// has reports whether a folder declares a name such as Name or Type.Member.
func (f *folder) has(name string) bool {
	first, _, member := strings.Cut(name, ".")
	return f.declared[name] || member && f.declared[first+".*"]
}

var (
	link = regexp.MustCompile(
		`(?:^|[\s("'])\[\*?((?:[a-z][a-z0-9]*\.)?[A-Z]\w*[a-z]\w*(?:\.[A-Z]\w*)?)\](?:$|[\s).,:;'"])`)
	qualified = regexp.MustCompile(`(?:^|[\s("'*])([a-z][a-z0-9]+)\.([A-Z]\w+(?:\.[A-Z]\w*)?)`)
	selected  = regexp.MustCompile(`(?:^|[\s("'*])([A-Z]\w*)\.([A-Z]\w*)`)
)

// packages returns a function that reports whether a package declares a name; one that is none of the project's may.
func packages(all map[string]*folder) func(pkg, name string) bool {
	byName := make(map[string][]*folder)
	for _, f := range all {
		byName[f.name] = append(byName[f.name], f)
	}
	return func(pkg, name string) bool {
		return len(byName[pkg]) == 0 || slices.ContainsFunc(byName[pkg], func(f *folder) bool { return f.has(name) })
	}
}

// TestNamesInComments demands that names in comments are declared: links in brackets, pkg.Name of a package of the
// project, and Type.Member of a type of the same package.
func TestNamesInComments(t *testing.T) {
	all := folders(t)
	known := packages(all)
	found := 0
	for dir, f := range all {
		for at, text := range f.comments {
			for _, m := range link.FindAllStringSubmatch(text, -1) {
				found++
				if pkg, name, is := strings.Cut(m[1], "."); is && pkg == strings.ToLower(pkg) {
					if !f.imports[pkg] && !known(pkg, name) {
						t.Errorf("%s: [%s]: package %s has no such name", at, m[1], pkg)
					}
				} else if !f.has(m[1]) {
					t.Errorf("%s: [%s]: %s has no such name", at, m[1], dir)
				}
			}
			for _, m := range qualified.FindAllStringSubmatch(text, -1) {
				found++
				if !f.imports[m[1]] && !known(m[1], m[2]) {
					t.Errorf("%s: %s.%s: package %s has no such name", at, m[1], m[2], m[1])
				}
			}
			for _, m := range selected.FindAllStringSubmatch(text, -1) {
				if f.declared[m[1]] && !f.has(m[1]+"."+m[2]) {
					t.Errorf("%s: %s.%s: %s has no such member", at, m[1], m[2], m[1])
				}
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d names were found", found)
	}
}

// TestNamesInDocuments demands that declarations and Go files which documents name as code, pkg.Name and name.go, are
// there.
func TestNamesInDocuments(t *testing.T) {
	known := packages(folders(t))
	goFiles := make(map[string]bool)
	for name := range source(t, func(string) bool { return true }) {
		goFiles[filepath.Base(name)] = true
	}
	code := regexp.MustCompile("`(?:([a-z][a-z0-9]*)\\.([A-Z]\\w*(?:\\.[A-Z]\\w*)?)|(?:[\\w/.-]*/)?(\\w+\\.go))`")
	found := 0
	files := read(t)
	for i := range files {
		f := &files[i]
		for n, l := range f.Lines {
			for _, m := range code.FindAllStringSubmatch(l.Text, -1) {
				found++
				switch {
				case m[3] != "" && !goFiles[m[3]]:
					t.Errorf("%s: there is no file %s", f.At(n), m[3])
				case m[3] == "" && !known(m[1], m[2]):
					t.Errorf("%s: %s.%s: package %s has no such name", f.At(n), m[1], m[2], m[1])
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d names were found", found)
	}
}
