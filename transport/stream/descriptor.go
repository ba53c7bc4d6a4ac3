package stream

import (
	"net"
	"reflect"
)

// unwrap finds the connection below those that fasthttp puts around it, which
// hide the descriptor. Nothing is written around a wrapper that changes bytes:
// only the two of fasthttp are taken off, and TLS is no descriptor.
func unwrap(conn net.Conn) net.Conn {
	if hijacked, ok := conn.(interface{ UnsafeConn() net.Conn }); ok {
		conn = hijacked.UnsafeConn()
	}
	if counted := embeddedConn(conn); counted != nil {
		conn = counted
	}
	return conn
}

// embeddedConn is the connection in a fasthttp.perIPConn, which a server with
// MaxConnsPerIP makes and which offers no way to it; nil for anything else.
func embeddedConn(conn net.Conn) net.Conn {
	v := reflect.ValueOf(conn)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return nil
	}
	v = v.Elem()
	if v.Type().PkgPath() != "github.com/valyala/fasthttp" || v.Type().Name() != "perIPConn" {
		return nil
	}
	inner, _ := v.FieldByName("Conn").Interface().(net.Conn)
	return inner
}
