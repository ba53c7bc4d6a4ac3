package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// unknownKey describes a key that does not exist: by its nearest name, or by the keys that
// exist in its section.
func (l *loader) unknownKey(key string) string {
	known := slices.Sorted(maps.Keys(l.known))
	for _, k := range known {
		if strings.HasPrefix(key, k+".") {
			return "`" + k + "` is a value, not a section"
		}
		if strings.HasPrefix(k, key+".") {
			return "`" + key + "` is a section with the keys " + strings.Join(namesBelow(known, key+"."), ", ")
		}
	}
	section, rest := "", key
	for {
		name, below, nested := strings.Cut(rest, ".")
		if !nested || namesBelow(known, section+name+".") == nil {
			break
		}
		section, rest = section+name+".", below
	}
	names := namesBelow(known, section)
	name, _, _ := strings.Cut(rest, ".")
	problem := "unknown key `" + key + "`"
	if n := nearest(name, names); n != "" {
		return problem + "; did you mean `" + section + n + strings.TrimPrefix(rest, name) + "`?"
	}
	if section == "" {
		return problem + "; there are " + strings.Join(names, ", ")
	}
	return problem + "; `" + strings.TrimSuffix(section, ".") + "` has the keys " + strings.Join(names, ", ")
}

// namesBelow returns the names of the keys and sections directly below a section.
func namesBelow(known []string, section string) []string {
	var names []string
	for _, k := range known {
		if rest, below := strings.CutPrefix(k, section); below {
			name, _, _ := strings.Cut(rest, ".")
			names = append(names, name)
		}
	}
	return slices.Compact(names)
}

// valueProblem describes a value that does not have the form of its key. problem is what is
// wrong where the form is not known.
func (l *loader) valueProblem(key, problem string) string {
	form := formOf(reflect.TypeFor[Config](), strings.Split(key, "."))
	if form == "" {
		return problem
	}
	switch value := l.valueAt(key).(type) {
	case string, bool, int, float64:
		return fmt.Sprintf("must be %s, not `%v`", form, value)
	default:
		return "must be " + form
	}
}

// valueAt returns the value of a key, or of an entry of a list.
func (l *loader) valueAt(key string) any {
	if value := l.merged.Get(key); value != nil {
		return value
	}
	i := strings.LastIndex(key, ".")
	if i < 0 {
		return nil
	}
	list, _ := l.merged.Get(key[:i]).([]any)
	if n, err := strconv.Atoi(key[i+1:]); err == nil && n < len(list) {
		return list[n]
	}
	return nil
}

// formOf describes the values of a key in a type that is decoded from YAML, or returns "".
func formOf(t reflect.Type, path []string) string {
	switch {
	case len(path) > 0 && t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("yaml") == path[0] {
				return formOf(f.Type, path[1:])
			}
		}
		return ""
	case len(path) > 0 && (t.Kind() == reflect.Map || t.Kind() == reflect.Slice):
		return formOf(t.Elem(), path[1:])
	case t == reflect.TypeFor[time.Duration]():
		return "a duration such as 90s or 24h"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "a whole number"
	case t.Kind() == reflect.String:
		return "a text"
	case t.Kind() == reflect.Slice:
		return "a list"
	}
	return ""
}
