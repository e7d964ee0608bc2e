import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * A consumer of Artemis' own client 2.55.0 that is open when a client of AMQP 1.0 sends what Artemis 2.55.0 cannot
 * convert: java -cp JARS Damaged.java tcp://HOST:PORT QUEUE, with the jars of artemis-2.55.0.lock; then send to the queue,
 * and press return. Of a text that is no UTF-8, a map with a number as a key, an unsigned long in a list, an application
 * property that is a timestamp, or an annotation x-opt-jms-dest that is a text, with two good messages behind it, it
 * prints up to three times
 *
 * jakarta.jms.IllegalStateRuntimeException: AMQ219017: Consumer is closed
 *
 * and the broker's log has AMQ222151: removing consumer which did not handle a message.
 */
class Damaged {
    public static void main(String[] args) throws Exception {
        try (var factory = new ActiveMQConnectionFactory(args[0]); JMSContext context = factory.createContext()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(args[1]));
            System.in.read();
            for (int i = 0; i < 3; i++) {
                try {
                    Message message = consumer.receive(2000);
                    System.out.println(message == null ? "nothing" : message.getBody(String.class));
                } catch (RuntimeException e) {
                    System.out.println(e);
                }
            }
        }
    }
}
