package api

// field describes one field of a JSON object that is decoded into a T.
type field[T any] struct {
	name string
	// required fields must be present and not null.
	required bool
	// read reads the current value of the body and stores it in the target.
	read func(b *body, target *T)
}

const (
	required = true
	optional = false
)

// fields describes the JSON object of one request: the one place where its fields
// are named. Missing fields are reported in this order.
type fields[T any] struct {
	names []string
	list  []field[T]
}

func fieldsOf[T any](list []field[T]) fields[T] {
	f := fields[T]{list: list, names: make([]string, len(list))}
	for i := range list {
		f.names[i] = list[i].name
	}
	return f
}

// open starts reading data as this object.
func (f *fields[T]) open(data []byte) *body { return openBody(data, f.names) }

// decode reads the whole object into target. The body then holds, in this order,
// the errors of single values, required fields that are missing, and decimals
// that are not positive.
func (f *fields[T]) decode(b *body, target *T) {
	for b.next() {
		f.list[b.current].read(b, target)
	}
	for i := range f.list {
		if f.list[i].required && b.presence[i] != present {
			b.Add(f.list[i].name, RuleMissing, "", "")
		}
	}
	b.addNotPositive()
}
