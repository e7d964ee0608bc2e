import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * Sends, headers and properties of Artemis' own client 2.55.0 on Artemis 2.55.0: java -cp JARS Sends.java
 * tcp://HOST:PORT, with the jars of artemis-2.55.0.lock. It prints, with other numbers below 20 each time,
 *
 * producer.close(): 0 of 20 callbacks were made
 * commit(): 1 of 20 callbacks were made
 * ?confirmationWindowSize=1048576 producer.close(): 0 of 20 callbacks were made
 * ?confirmationWindowSize=1048576 commit(): 0 of 20 callbacks were made
 * JMSDeliveryTime of a send without delay: 0
 * a message with setJMSDeliveryTime() of 3 s ahead came within 2 s: false
 * a send to a deleted temporary queue: returns
 * setObjectProperty() takes: class java.lang.Character, class [B
 * JMSXDeliveryCount exists on a new message: true
 * version 2.55.0, numbers 1.0
 * getDeliveryDelay() of a closed producer: 0
 * createConnectionConsumer(): null
 * setClientID(null): java.lang.NullPointerException: Cannot invoke "String.length()" because "val" is null
 *
 * On a broker with auto-create-addresses and auto-create-queues off the send to the deleted queue throws
 * jakarta.jms.InvalidDestinationRuntimeException.
 */
class Sends {
    public static void main(String[] args) throws Exception {
        callbacks(args[0], "");
        callbacks(args[0], "?confirmationWindowSize=1048576");
        try (var factory = new ActiveMQConnectionFactory(args[0]); JMSContext context = factory.createContext()) {
            TemporaryQueue queue = context.createTemporaryQueue();
            JMSConsumer consumer = context.createConsumer(queue);
            Message message = context.createMessage();
            context.createProducer().send(queue, message);
            System.out.println("JMSDeliveryTime of a send without delay: " + message.getJMSDeliveryTime());
            consumer.receive(5000);
            message = context.createMessage();
            message.setJMSDeliveryTime(System.currentTimeMillis() + 3000);
            context.createProducer().send(queue, message);
            System.out.println("a message with setJMSDeliveryTime() of 3 s ahead came within 2 s: " + (consumer.receive(2000) != null));
            consumer.close();
            queue.delete();
            try {
                context.createProducer().send(queue, "late");
                System.out.println("a send to a deleted temporary queue: returns");
            } catch (RuntimeException e) {
                System.out.println("a send to a deleted temporary queue: " + e);
            }
            message = context.createMessage();
            message.setObjectProperty("c", 'c');
            message.setObjectProperty("b", new byte[] {1});
            System.out.println("setObjectProperty() takes: " + message.getObjectProperty("c").getClass() + ", " + message.getObjectProperty("b").getClass());
            System.out.println("JMSXDeliveryCount exists on a new message: " + context.createMessage().propertyExists("JMSXDeliveryCount"));
            ConnectionMetaData told = context.getMetaData();
            System.out.println("version " + told.getProviderVersion() + ", numbers " + told.getProviderMajorVersion() + "." + told.getProviderMinorVersion());
            try (Connection other = factory.createConnection()) {
                MessageProducer producer = other.createSession().createProducer(null);
                producer.close();
                System.out.println("getDeliveryDelay() of a closed producer: " + producer.getDeliveryDelay());
                System.out.println("createConnectionConsumer(): " + other.createConnectionConsumer(context.createQueue("a"), null, null, 1));
            }
            try (Connection other = factory.createConnection()) {
                other.setClientID(null);
            } catch (NullPointerException e) {
                System.out.println("setClientID(null): " + e);
            }
        }
    }

    static void callbacks(String url, String option) throws JMSException {
        try (var factory = new ActiveMQConnectionFactory(url + option); Connection connection = factory.createConnection()) {
            for (boolean transacted : new boolean[] {false, true}) {
                Session session = connection.createSession(transacted, Session.AUTO_ACKNOWLEDGE);
                MessageProducer producer = session.createProducer(session.createTemporaryQueue());
                AtomicInteger made = new AtomicInteger();
                for (int i = 0; i < 20; i++) producer.send(session.createMessage(), counting(made));
                if (transacted) session.commit(); else producer.close();
                System.out.println(option + (transacted ? " commit(): " : " producer.close(): ") + made + " of 20 callbacks were made");
            }
        }
    }

    static CompletionListener counting(AtomicInteger made) {
        return new CompletionListener() {
            public void onCompletion(Message message) {
                try {
                    Thread.sleep(20);
                } catch (InterruptedException e) {
                    return;
                }
                made.incrementAndGet();
            }

            public void onException(Message message, Exception error) { }
        };
    }
}
