"""A message that no client made, as Java: all that it does is to answer what its interface asks."""

from __future__ import annotations

from typing import Final

FOREIGN_MESSAGE: Final = """
/** A message of another provider: it can be read by its interface alone. */
static <M extends Message> M foreign(
    Class<M> kind, Map<String, Object> headers, Map<String, Object> properties, Object body
) {
    int[] at = {0};
    Class<?>[] kinds = {kind};
    return kind.cast(java.lang.reflect.Proxy.newProxyInstance(
        kind.getClassLoader(), kinds, (self, method, given) -> {
            String name = method.getName();
            Object first = given == null ? null : given[0];
            switch (name) {
                case "toString": return "foreign " + kind.getSimpleName();
                case "hashCode": return System.identityHashCode(self);
                case "equals": return self == first;
                case "acknowledge": return null;
                case "isBodyAssignableTo": return false;
                case "getBody": throw new MessageFormatException("it has no such body");
                case "getPropertyNames": return Collections.enumeration(properties.keySet());
                case "propertyExists": return properties.containsKey(first);
                case "getText": return read(body, "String");
                case "getMapNames": return Collections.enumeration(((Map<?, ?>) body).keySet());
                case "itemExists": return ((Map<?, ?>) body).containsKey(first);
                case "reset": at[0] = 0; return null;
            }
            if (name.startsWith("getJMS")) return read(headers.get(name.substring(3)), "Object");
            if (name.startsWith("setJMS")) {
                headers.put(name.substring(3), first);
                return null;
            }
            boolean gets = name.startsWith("get");
            if (gets && name.endsWith("Property"))
                return read(properties.get(first), name.substring(3, name.length() - 8));
            if (gets && body instanceof Map && given != null)
                return read(((Map<?, ?>) body).get(first), name.substring(3));
            if (gets) return read(body, name.substring(3));
            if (!name.startsWith("read")) throw new MessageNotWriteableException("it is read only");
            List<?> items = (List<?>) body;
            if (at[0] == items.size()) throw new MessageEOFException("it has no more items");
            return read(items.get(at[0]++), name.substring(4));
        }));
}"""
READ: Final = """
/** A value as this kind, where JMS converts it. */
static Object read(Object value, String kind) throws Exception {
    if (value instanceof Exception) throw (Exception) value;
    if (kind.equals("Object")) return value;
    if (value == null && Arrays.asList("String", "Bytes", "Char").contains(kind)) return null;
    if (kind.equals("String") && !(value instanceof byte[])) return value.toString();
    String own = value == null ? "String" : value.getClass().getSimpleName();
    own = own.replace("Integer", "Int").replace("Character", "Char").replace("byte[]", "Bytes");
    List<String> whole = Arrays.asList("Byte", "Short", "Int", "Long");
    boolean fits = own.equals(kind) || own.equals("Float") && kind.equals("Double")
        || whole.contains(own) && whole.indexOf(own) < whole.indexOf(kind);
    if (fits && !(value instanceof Number)) return value;
    boolean parsed = own.equals("String") && !kind.equals("Char") && !kind.equals("Bytes");
    if (!fits && !parsed) throw new MessageFormatException(own + " is no " + kind);
    String text = value == null ? null : value.toString();
    switch (kind) {
        case "Boolean": return Boolean.valueOf(text);
        case "Byte": return Byte.valueOf(text);
        case "Short": return Short.valueOf(text);
        case "Int": return Integer.valueOf(text);
        case "Long": return Long.valueOf(text);
        case "Float": return Float.valueOf(text);
        default: return fits ? (Object) ((Number) value).doubleValue() : Double.valueOf(text);
    }
}"""
