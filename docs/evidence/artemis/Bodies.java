import jakarta.jms.BytesMessage;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.lang.reflect.Proxy;
import java.util.Collections;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * Bodies of Artemis' own client 2.55.0 on Artemis 2.55.0: java -cp JARS Bodies.java tcp://HOST:PORT, with the jars of
 * artemis-2.55.0.lock. It prints
 *
 * readBytes() of a String: jakarta.jms.MessageFormatException: Invalid conversion
 * then readString(): jakarta.jms.MessageFormatException: Invalid conversion
 * readBytes() of two fields of 2 bytes: 2, -1
 * writeBytes(null): java.lang.NullPointerException: Cannot read the array length because "value" is null
 * setObject(null), getObject(): first
 * a map's array, changed by who set it: 9
 * 1 MiB, read before the next message is received: 1048576 of 1048576
 * 1 MiB, read behind that: 24576 of 1048576
 * the correlation id of a foreign message: null
 * a foreign message with a foreign reply destination: jakarta.jms.InvalidDestinationRuntimeException: Foreign destination foreign
 */
class Bodies {
    static Queue replyTo;

    public static void main(String[] args) throws Exception {
        try (var factory = new ActiveMQConnectionFactory(args[0]); JMSContext context = factory.createContext()) {
            streams(context);
            copies(context);
            large(context);
            foreign(context);
        }
    }

    static void streams(JMSContext context) throws JMSException {
        StreamMessage stream = context.createStreamMessage();
        stream.writeString("abc");
        stream.reset();
        attempt("readBytes() of a String", () -> stream.readBytes(new byte[10]));
        attempt("then readString()", stream::readString);
        stream.clearBody();
        stream.writeBytes(new byte[] {1, 2});
        stream.writeBytes(new byte[] {3, 4});
        stream.reset();
        attempt("readBytes() of two fields of 2 bytes", () -> stream.readBytes(new byte[10]) + ", " + stream.readBytes(new byte[10]));
        stream.clearBody();
        attempt("writeBytes(null)", () -> { stream.writeBytes(null); return "taken"; });
    }

    static void copies(JMSContext context) throws JMSException {
        ObjectMessage object = context.createObjectMessage("first");
        object.setObject(null);
        attempt("setObject(null), getObject()", object::getObject);
        byte[] array = {1, 2, 3};
        MapMessage map = context.createMapMessage();
        map.setBytes("k", array);
        array[0] = 9;
        attempt("a map's array, changed by who set it", () -> map.getBytes("k")[0]);
    }

    static void large(JMSContext context) throws JMSException {
        Queue queue = context.createTemporaryQueue();
        JMSConsumer consumer = context.createConsumer(queue);
        for (boolean behind : new boolean[] {false, true}) {
            BytesMessage sent = context.createBytesMessage();
            sent.writeBytes(new byte[1 << 20]);
            context.createProducer().send(queue, sent).send(queue, "next");
            BytesMessage message = (BytesMessage) consumer.receive(5000);
            if (behind) consumer.receive(5000);
            attempt(behind ? "1 MiB, read behind that" : "1 MiB, read before the next message is received",
                () -> message.readBytes(new byte[1 << 20]) + " of " + message.getBodyLength());
            if (!behind) consumer.receive(5000);
        }
    }

    static void foreign(JMSContext context) {
        Queue queue = context.createTemporaryQueue();
        JMSConsumer consumer = context.createConsumer(queue);
        TextMessage message = (TextMessage) Proxy.newProxyInstance(Bodies.class.getClassLoader(), new Class<?>[] {TextMessage.class}, (self, method, given) ->
            switch (method.getName()) {
                case "getText" -> "hello";
                case "getJMSCorrelationID" -> "an id";
                case "getJMSCorrelationIDAsBytes" -> "an id".getBytes();
                case "getJMSReplyTo" -> replyTo;
                case "getJMSDeliveryMode" -> 2;
                case "getPropertyNames" -> Collections.emptyEnumeration();
                default -> method.getReturnType() == int.class ? (Object) 4 : method.getReturnType() == long.class ? (Object) 0L : null;
            });
        context.createProducer().send(queue, message);
        attempt("the correlation id of a foreign message", consumer.receive(5000)::getJMSCorrelationID);
        replyTo = (Queue) Proxy.newProxyInstance(Bodies.class.getClassLoader(), new Class<?>[] {Queue.class}, (self, method, given) -> "foreign");
        attempt("a foreign message with a foreign reply destination", () -> context.createProducer().send(queue, message));
    }

    interface Call { Object call() throws Exception; }

    static void attempt(String what, Call call) {
        Object found;
        try { found = call.call(); } catch (Exception e) { found = e; }
        System.out.println(what + ": " + found);
    }
}
