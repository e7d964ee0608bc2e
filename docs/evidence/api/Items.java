import jakarta.jms.*;
import java.util.*;

/** BytesMessage, StreamMessage and MapMessage: what is written and read. See Api. */
class Items extends Api {
    static final byte[] SEVEN = {0, 1, 2, 3, 4, 5, 6};

    public static void main(String[] args) throws Exception {
        Connection connection = factory(args).createConnection();
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        for (String how : new String[] {"fresh", "received"}) {
            System.out.println("-- " + how);
            bytes(how);
            streams(how);
            maps(how);
        }
        names();
        connection.close();
        System.exit(0);
    }

    static void bytes(String how) {
        for (String text : new String[] {"\0", "\ud83d\ude00"}) {
            String said = text.equals("\0") ? "0002c080" : "0006eda0bdedb880";
            show("BYTES-028", how + ": writeUTF of " + (text.equals("\0") ? "a zero" : "U+1F600"), said, () -> {
                BytesMessage message = session.createBytesMessage();
                message.writeUTF(text);
                return all(how, message);
            });
            show("BYTES-030", how + ": writeObject of it", "as above", () -> {
                BytesMessage message = session.createBytesMessage();
                message.writeObject(text);
                return all(how, message);
            });
        }
        show("BYTES-020", how + ": writeBoolean(true)", "01", () -> {
            BytesMessage message = session.createBytesMessage();
            message.writeBoolean(true);
            return all(how, message);
        });
        for (int length : new int[] {1, 2, 4}) {
            show("BYTES-019", how + ": readUTF of " + length + " of the 5 bytes of \"abc\"", "MessageEOFException", () -> {
                BytesMessage message = session.createBytesMessage();
                message.writeBytes(new byte[] {0, 3, 97, 98, 99}, 0, length);
                message = (BytesMessage) shown(how, message);
                message.reset();
                return message.readUTF();
            });
        }
        for (int length : new int[] {-1, 5}) {
            show("BYTES-03" + (length < 0 ? 6 : 7), how + ": readBytes(new byte[4], " + length + ")", "IndexOutOfBoundsException", () -> {
                BytesMessage message = session.createBytesMessage();
                message.writeBytes(SEVEN);
                message = (BytesMessage) shown(how, message);
                message.reset();
                return message.readBytes(new byte[4], length);
            });
        }
    }

    static byte[] all(String how, BytesMessage message) throws JMSException {
        BytesMessage shown = (BytesMessage) shown(how, message);
        shown.reset();
        byte[] bytes = new byte[(int) shown.getBodyLength()];
        shown.readBytes(bytes);
        return bytes;
    }

    static void streams(String how) {
        for (boolean objects : new boolean[] {false, true}) {
            String by = how + ", write" + (objects ? "Object" : "Bytes") + ": ";
            byte[][] arrays = {{}, {0, -1}, large()};
            Object[] items = arrays;
            show("STREAM-010/012", by + "arrays of 0, 2 and 2,048 bytes, readBytes of one more", "equal, equal, equal", () -> {
                StreamMessage message = stream(how, objects, items);
                List<String> found = new ArrayList<>();
                for (byte[] array : arrays) found.add(alike(array, () -> part(message, array.length + 1)));
                return found;
            });
            show("STREAM-011/012", by + "the same by readObject", "equal, equal, equal", () -> {
                StreamMessage message = stream(how, objects, items);
                List<String> found = new ArrayList<>();
                for (byte[] array : arrays) found.add(alike(array, message::readObject));
                return found;
            });
        }
        show("STREAM-010", how + ": 2,048 bytes alone, readBytes of 2,049", "equal", () -> {
            StreamMessage message = stream(how, false, new Object[] {large()});
            return alike(large(), () -> part(message, 2049));
        });
        parts(how, "013", "000102, -5", new byte[] {0, 1, 2}, 5, 1);
        parts(how, "014", "000102, 030405, 06, -5", SEVEN, 3, 3);
        parts(how, "015", "000102, 030405, null, -5", Arrays.copyOf(SEVEN, 6), 3, 3);
        parts(how, "016", "empty, -5", new byte[] {}, 3, 1);
        show("STREAM-017", how + ": 7 bytes, \"a text\": readBytes(3), reset, readBytes of 8", "7 bytes", () -> {
            StreamMessage message = stream(how, false, SEVEN, "a text");
            part(message, 3);
            message.reset();
            return part(message, 8);
        });
        Map<String, Function> reads = new LinkedHashMap<>();
        reads.put("Boolean", StreamMessage::readBoolean);
        reads.put("Byte", StreamMessage::readByte);
        reads.put("Short", StreamMessage::readShort);
        reads.put("Char", StreamMessage::readChar);
        reads.put("Int", StreamMessage::readInt);
        reads.put("Long", StreamMessage::readLong);
        reads.put("Float", StreamMessage::readFloat);
        reads.put("Double", StreamMessage::readDouble);
        reads.put("String", StreamMessage::readString);
        reads.put("Object", StreamMessage::readObject);
        reads.forEach((name, read) -> show(name.equals("Object") ? "STREAM-019" : "STREAM-018",
                how + ": 7 bytes, -5: readBytes(3), read" + name + ", then readBytes(9)", "MessageFormatException 03040506", () -> {
            StreamMessage message = stream(how, false, SEVEN, -5);
            part(message, 3);
            return seen(() -> read.of(message)) + " " + seen(() -> part(message, 9));
        }));
        show("STREAM-019", how + ": 7 bytes, -5: readBytes(5), readObject, readObject, readBytes(5)", "MessageFormatException twice, 0506", () -> {
            StreamMessage message = stream(how, false, SEVEN, -5);
            part(message, 5);
            return seen(message::readObject) + ", " + seen(message::readObject) + ", " + seen(() -> part(message, 5));
        });
        show("STREAM-020", how + ": 3 and 4 bytes, readBytes(100) twice", "000102, 03040506", () -> {
            StreamMessage message = stream(how, false, new byte[] {0, 1, 2}, new byte[] {3, 4, 5, 6});
            return seen(() -> part(message, 100)) + ", " + seen(() -> part(message, 100));
        });
    }

    interface Function {
        Object of(StreamMessage message) throws JMSException;
    }

    static void parts(String how, String id, String said, byte[] array, int length, int calls) {
        show("STREAM-" + id, how + ": " + array.length + " bytes, -5: readBytes(" + length + ") " + calls + " times, readInt", said, () -> {
            StreamMessage message = stream(how, false, array, -5);
            List<String> found = new ArrayList<>();
            for (int i = 0; i < calls; i++) found.add(seen(() -> part(message, length)));
            found.add(seen(message::readInt));
            return found;
        });
    }

    static StreamMessage stream(String how, boolean objects, Object... items) throws JMSException {
        StreamMessage message = session.createStreamMessage();
        for (Object item : items) {
            if (objects || !(item instanceof byte[])) message.writeObject(item);
            else message.writeBytes((byte[]) item);
        }
        message = (StreamMessage) shown(how, message);
        message.reset();
        return message;
    }

    static byte[] part(StreamMessage message, int length) throws JMSException {
        byte[] buffer = new byte[length];
        int count = message.readBytes(buffer);
        return count < 0 ? null : Arrays.copyOf(buffer, count);
    }

    static byte[] large() {
        byte[] bytes = new byte[2048];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) i;
        return bytes;
    }

    static String alike(byte[] written, Step read) {
        Object[] found = new Object[1];
        String seen = seen(() -> found[0] = read.take());
        if (!(found[0] instanceof byte[])) return seen;
        byte[] bytes = (byte[]) found[0];
        return Arrays.equals(bytes, written) ? "equal" : "not equal: " + seen + ", alike for " + Arrays.mismatch(bytes, written);
    }

    static void maps(String how) {
        String text = "gr\u00f6\u00dfe \ud83d\ude00\0";
        for (boolean object : new boolean[] {false, true}) {
            String by = how + ", set" + (object ? "Object" : "typed") + ": ";
            show("MAP-009/022/023", by + "a text with U+1F600: getString, getObject", "equal", () -> {
                MapMessage map = map(how, object, text);
                return text.equals(map.getString("k")) + " " + escaped(map.getString("k")) + " " + text.equals(map.getObject("k"));
            });
            show("MAP-010/022/023", by + "2,048 bytes: getBytes, getObject", "equal", () -> {
                MapMessage map = map(how, object, large());
                return alike(large(), () -> map.getBytes("k")) + ", " + alike(large(), () -> map.getObject("k"));
            });
            show("MAP-010/022/023", by + "bytes of 0 and 2: getBytes", "equal", () -> {
                return alike(new byte[] {}, () -> map(how, object, new byte[] {}).getBytes("k")) + ", "
                        + alike(new byte[] {0, -1}, () -> map(how, object, new byte[] {0, -1}).getBytes("k"));
            });
        }
        show("JMS-BODY-039", how + ": 3 bytes, getBytes, the first of them changed, getBytes", "010203", () -> {
            MapMessage map = map(how, false, new byte[] {1, 2, 3});
            map.getBytes("k")[0] = 2;
            return map.getBytes("k");
        });
        show("MAP-022/023", how + ": 2,048 bytes and another, an int, a text: the names, getObject of each", "equal", () -> {
            MapMessage map = session.createMapMessage();
            map.setBytes("a", large());
            map.setBytes("b", large());
            map.setInt("c", 1);
            map.setString("d", "text");
            MapMessage shown = (MapMessage) shown(how, map);
            List<String> found = new ArrayList<>();
            found.add(seen(() -> Collections.list(shown.getMapNames())));
            for (String name : new String[] {"a", "b", "c", "d"}) found.add(seen(() -> shown.getObject(name)));
            return found;
        });
        for (String name : new String[] {"a name", "1", "JMSType", "JMSXGroupID", "NULL", "größe", "a.b"}) {
            show("MAP-028", how + ": setInt(\"" + name + "\", 1), getInt", "1", () -> {
                MapMessage map = session.createMapMessage();
                map.setInt(name, 1);
                return ((MapMessage) shown(how, map)).getInt(name);
            });
        }
    }

    static String escaped(String text) {
        StringBuilder all = new StringBuilder();
        text.chars().forEach(each -> all.append(each > 31 && each < 127 ? "" + (char) each : String.format("\\u%04x", each)));
        return all.toString();
    }

    static MapMessage map(String how, boolean object, Object value) throws JMSException {
        MapMessage map = session.createMapMessage();
        if (object) map.setObject("k", value);
        else if (value instanceof String) map.setString("k", (String) value);
        else map.setBytes("k", (byte[]) value);
        return (MapMessage) shown(how, map);
    }

    interface Put {
        void under(MapMessage map, String name) throws JMSException;
    }

    static void names() {
        Map<String, Put> puts = new LinkedHashMap<>();
        puts.put("MAP-011 setBoolean", (map, name) -> map.setBoolean(name, true));
        puts.put("MAP-012 setByte", (map, name) -> map.setByte(name, (byte) 1));
        puts.put("MAP-013 setShort", (map, name) -> map.setShort(name, (short) 1));
        puts.put("MAP-014 setChar", (map, name) -> map.setChar(name, 'c'));
        puts.put("MAP-015 setInt", (map, name) -> map.setInt(name, 1));
        puts.put("MAP-016 setLong", (map, name) -> map.setLong(name, 1));
        puts.put("MAP-017 setFloat", (map, name) -> map.setFloat(name, 1));
        puts.put("MAP-018 setDouble", (map, name) -> map.setDouble(name, 1));
        puts.put("MAP-019 setString", (map, name) -> map.setString(name, "s"));
        puts.put("MAP-020 setBytes", (map, name) -> map.setBytes(name, SEVEN));
        puts.put("MAP-021 setObject", (map, name) -> map.setObject(name, 1));
        puts.forEach((what, put) -> show(what.substring(0, 7), what.substring(8) + " of null, of \"\", the names then", "IllegalArgumentException twice, []", () -> {
            MapMessage map = session.createMapMessage();
            String found = called(() -> put.under(map, null)) + ", " + called(() -> put.under(map, ""));
            return found + ", " + seen(() -> Collections.list(map.getMapNames()));
        }));
    }
}
