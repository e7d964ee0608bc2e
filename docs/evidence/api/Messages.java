import jakarta.jms.*;
import java.util.*;

/** Message: bodies as objects of a class, clearing, a header and names of properties. See Api. */
class Messages extends Api {
    static final Class<?>[] CLASSES = {Boolean.class, Integer.class, Map.class, Object.class, String.class, byte[].class};

    public static void main(String[] args) throws Exception {
        Connection connection = factory(args).createConnection();
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        for (String how : new String[] {"fresh", "received"}) {
            System.out.println("-- " + how);
            bodies(how, "text \"\"", "text, 001 002 011", () -> session.createTextMessage(""));
            bodies(how, "text \"a\"", "001 002 011", () -> session.createTextMessage("a"));
            bodies(how, "bytes", "003 004 012", Messages::bytes);
            bodies(how, "map", "005 006 013", () -> {
                MapMessage map = session.createMapMessage();
                map.setInt("k", -1);
                return map;
            });
            bodies(how, "stream", "009 015: never", Messages::stream);
            bodies(how, "empty stream", "009 015: never", () -> session.createStreamMessage());
            bodies(how, "no body", "010 016: null and true", () -> session.createMessage());
            bodies(how, "text null", "010 016: null and true", () -> session.createTextMessage());
            bodies(how, "object null", "010 016: null and true", () -> session.createObjectMessage());
            show("MSG-017", how + " bytes, reset, one read, getBody, read again", "010203 1 2 3", () -> {
                BytesMessage message = (BytesMessage) shown(how, bytes());
                message.reset();
                message.readByte();
                String body = text(message.getBody(byte[].class));
                return body + " " + message.readByte() + " " + message.readByte() + " " + message.readByte();
            });
            show("JMS-PROP-010", how + ", a property that is a text of 65,536 letters: its length", "65536", () -> {
                Message message = session.createMessage();
                message.setStringProperty("p", "x".repeat(65_536));
                return shown(how, message).getStringProperty("p").length();
            });
            show("MSG-018", how + " bytes: clearBody, reset, getBodyLength", "0", () -> {
                BytesMessage message = (BytesMessage) shown(how, bytes());
                message.clearBody();
                message.reset();
                return message.getBodyLength();
            });
            show("MSG-018", how + " stream: clearBody, reset, readObject", "MessageEOFException", () -> {
                StreamMessage message = (StreamMessage) shown(how, stream());
                message.clearBody();
                message.reset();
                return message.readObject();
            });
            show("MSG-022", how + ": setJMSCorrelationID(null), getJMSCorrelationID", "null", () -> {
                Message message = session.createTextMessage("a");
                message.setJMSCorrelationID("first");
                message = shown(how, message);
                message.setJMSCorrelationID(null);
                return message.getJMSCorrelationID();
            });
            show("MSG-042", how + ": without a correlation id, and with one set back to null, getJMSCorrelationIDAsBytes", "null, null", () -> {
                Message never = shown(how, session.createTextMessage("a"));
                Message back = shown(how, session.createTextMessage("a"));
                back.setJMSCorrelationID("first");
                back.setJMSCorrelationID(null);
                return seen(never::getJMSCorrelationIDAsBytes) + ", " + seen(back::getJMSCorrelationIDAsBytes);
            });
            show("MSG-028", how + ": setJMSType(null), getJMSType", "null", () -> {
                Message message = session.createTextMessage("a");
                message.setJMSType("first");
                message = shown(how, message);
                message.setJMSType(null);
                return message.getJMSType();
            });
            show("MSG-040", how + ": propertyExists of p, JMSType, JMSCorrelationID", "[true, false, false]", () -> {
                Message message = session.createMessage();
                message.setIntProperty("p", 1);
                message.setJMSType("a type");
                message.setJMSCorrelationID("an id");
                Message seen = shown(how, message);
                return List.of(seen.propertyExists("p"), seen.propertyExists("JMSType"), seen.propertyExists("JMSCorrelationID"));
            });
            for (String by : new String[] {"session", "context"}) {
                show("TEXT-003", how + ": createTextMessage(\"\") of a " + by + ", getText", "\"\"", () -> {
                    if (by.equals("session")) return ((TextMessage) shown(how, session.createTextMessage(""))).getText();
                    try (JMSContext context = factory(args).createContext()) {
                        return ((TextMessage) shown(how, context.createTextMessage(""))).getText();
                    }
                });
            }
        }
        show("OBJ-002", "setObject(2.0), setObject(null), getObject", "null", () -> {
            ObjectMessage message = session.createObjectMessage();
            message.setObject(2.0);
            message.setObject(null);
            return message.getObject();
        });
        show("MSG-017", "written bytes: getBody, readByte", "010203 1", () -> {
            BytesMessage message = bytes();
            return text(message.getBody(byte[].class)) + " " + message.readByte();
        });
        connection.close();
        System.exit(0);
    }

    interface Making {
        Message make() throws JMSException;
    }

    static void bodies(String how, String what, String said, Making making) {
        List<String> given = new ArrayList<>(), assignable = new ArrayList<>();
        for (Class<?> each : CLASSES) {
            given.add(each.getSimpleName() + " " + seen(() -> shown(how, making.make()).getBody(each)));
            assignable.add(each.getSimpleName() + " " + seen(() -> shown(how, making.make()).isBodyAssignableTo(each)));
        }
        show("MSG", how + " " + what + ", getBody", said, () -> given);
        show("MSG", how + " " + what + ", isBodyAssignableTo", said, () -> assignable);
    }

    static BytesMessage bytes() throws JMSException {
        BytesMessage message = session.createBytesMessage();
        message.writeBytes(new byte[] {1, 2, 3});
        return message;
    }

    static StreamMessage stream() throws JMSException {
        StreamMessage message = session.createStreamMessage();
        message.writeInt(2);
        message.writeString("two");
        return message;
    }
}
