import static jakarta.jms.Session.*;

import jakarta.jms.*;
import java.util.Arrays;

/** Bodies and properties: null, copies, failed reads, long texts. */
class Bodies {
    static Session session;

    public static void main(String[] args) throws Exception {
        Connection connection = Control.at(args[0]).createConnection();
        connection.start();
        session = connection.createSession(false, AUTO_ACKNOWLEDGE);

        System.out.println("-- null is a value (3.12; 3.5.4, 3.5.5)");
        Control.show("property set to null, getObjectProperty", "null", () -> {
            Message message = session.createMessage();
            message.setObjectProperty("p", null);
            return message.getObjectProperty("p");
        });
        Control.show("MapMessage.setObject(k, null), getObject", "null", () -> {
            MapMessage map = session.createMapMessage();
            map.setObject("k", null);
            return map.getObject("k");
        });
        System.out.println("-- what is set is copied, and what is got is a copy (3.12)");
        Control.show("MapMessage.setBytes, array changed, sent", "[1, 2]", () -> {
            byte[] array = {1, 2};
            MapMessage map = session.createMapMessage();
            map.setBytes("k", array);
            array[0] = 9;
            return Arrays.toString(((MapMessage) passed(map)).getBytes("k"));
        });
        Control.show("MapMessage.getBytes, array changed, again", "[1, 2]", () -> {
            MapMessage map = session.createMapMessage();
            map.setBytes("k", new byte[] {1, 2});
            MapMessage received = (MapMessage) passed(map);
            received.getBytes("k")[0] = 9;
            return Arrays.toString(received.getBytes("k"));
        });
        System.out.println("-- a failed read does not move the pointer (3.11.3)");
        Control.show("3 bytes: readInt fails, then readShort", "258", () -> {
            BytesMessage bytes = session.createBytesMessage();
            bytes.writeBytes(new byte[] {1, 2, 3});
            BytesMessage received = (BytesMessage) passed(bytes);
            failing(received::readInt);
            return received.readShort();
        });
        Control.show("\"abc\": readInt fails, then readString", "abc", () -> {
            StreamMessage received = stream();
            failing(received::readInt);
            return received.readString();
        });
        Control.show("\"abc\": readBoolean gives", "false", () -> stream().readBoolean());
        Control.show("\"abc\": readBytes fails, then readString", "abc", () -> {
            StreamMessage received = stream();
            failing(() -> received.readBytes(new byte[9]));
            return received.readString();
        });
        Control.show("5: readBoolean fails, then readInt", "5", () -> {
            StreamMessage stream = session.createStreamMessage();
            stream.writeInt(5);
            StreamMessage received = (StreamMessage) passed(stream);
            failing(received::readBoolean);
            return received.readInt();
        });
        System.out.println("-- a text of any length is a property (3.5.2), and what was sent arrives");
        for (int length : new int[] {32_767, 65_535, 65_536, 100_000}) {
            Control.show("property of " + length + " characters", "" + length, () -> {
                Message message = session.createMessage();
                message.setStringProperty("p", "x".repeat(length));
                Message received = passed(message);
                return received == null ? "sent, and not received" : received.getStringProperty("p").length();
            });
        }
        connection.close();
    }

    static StreamMessage stream() throws JMSException {
        StreamMessage stream = session.createStreamMessage();
        stream.writeString("abc");
        return (StreamMessage) passed(stream);
    }

    static Message passed(Message message) throws JMSException {
        Queue queue = session.createQueue(Control.fresh());
        try (MessageProducer producer = session.createProducer(queue);
             MessageConsumer consumer = session.createConsumer(queue)) {
            producer.send(message);
            return consumer.receive(2000);
        }
    }

    static void failing(Control.Step step) {
        try {
            System.out.print("[was read: " + step.take() + "] ");
        } catch (Exception expected) {
            System.out.print("[" + expected.getClass().getSimpleName() + "] ");
        }
    }
}
