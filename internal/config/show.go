package config

import (
	"bytes"
	"strings"

	"pagoda/internal/puzzle/setting"

	"go.yaml.in/yaml/v3"
)

// YAML writes every effective value as a config that [Parse] reads back to the same values, whatever the machine and
// the environment. With origins, a comment behind each value says where it came from.
func (c *Config) YAML(origins bool) ([]byte, error) {
	return c.write(origins, func(string) bool { return true })
}

// YAMLOf is YAML of those keys that keep accepts.
func (c *Config) YAMLOf(keep func(key string) bool) ([]byte, error) { return c.write(false, keep) }

func (c *Config) write(origins bool, keep func(key string) bool) ([]byte, error) {
	doc := &yaml.Node{Kind: yaml.MappingNode}
	for _, s := range c.settings {
		if !keep(s.Setting.Name) {
			continue
		}
		key := &yaml.Node{Kind: yaml.ScalarNode, Value: s.Setting.Name}
		value := &yaml.Node{Kind: yaml.ScalarNode, Value: s.Value}
		switch {
		case s.Setting.Kind == setting.Integer:
			value.Tag = "!!int"
		case s.Setting.Kind == setting.Boolean || s.Setting.Kind == setting.Share:
			// Plain: it reads back as the text it is.
		case drawable(s.Value):
			value.Tag, value.Style = "!!str", yaml.LiteralStyle
		default:
			value.SetString(s.Value)
		}
		if origins && value.Style == yaml.LiteralStyle {
			key.HeadComment = s.Origin // behind the value it would be a part of it
		} else if origins {
			value.LineComment = s.Origin
		}
		doc.Content = append(doc.Content, key, value)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}

// drawable reports whether a text shows well as lines: several of them, and nothing but printable ASCII.
func drawable(s string) bool {
	return strings.Contains(s, "\n") && strings.Trim(s, "\n") != "" &&
		!strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') })
}
