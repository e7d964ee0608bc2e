import static jakarta.jms.Session.*;

import jakarta.jms.*;

/** Headers that the provider sets, and a message of another provider. */
class Headers {
    static Session session;
    static Queue queue;
    static MessageProducer producer;
    static MessageConsumer consumer;

    public static void main(String[] args) throws Exception {
        Connection connection = Control.at(args[0]).createConnection();
        connection.start();
        session = connection.createSession(true, SESSION_TRANSACTED);
        queue = session.createQueue(Control.fresh());
        producer = session.createProducer(queue);
        consumer = session.createConsumer(queue);

        Control.show("JMSDeliveryTime - JMSTimestamp, no delay", "0 | 0", () -> {
            Message sent = sent(session.createMessage());
            Message received = consumer.receive(2000);
            session.commit();
            return (sent.getJMSDeliveryTime() - sent.getJMSTimestamp()) + " | "
                + (received.getJMSDeliveryTime() - received.getJMSTimestamp());
        });
        Control.show("the same, delay of 100 ms", "100 | 100", () -> {
            producer.setDeliveryDelay(100);
            Message sent = sent(session.createMessage());
            producer.setDeliveryDelay(0);
            Message received = consumer.receive(2000);
            session.commit();
            return (sent.getJMSDeliveryTime() - sent.getJMSTimestamp()) + " | "
                + (received.getJMSDeliveryTime() - received.getJMSTimestamp());
        });
        Control.show("setJMSRedelivered(true), sent, received", "false", () -> {
            Message message = session.createMessage();
            message.setJMSRedelivered(true);
            sent(message);
            Message received = consumer.receive(2000);
            session.commit();
            return received.getJMSRedelivered() + ", JMSXDeliveryCount " + received.getIntProperty("JMSXDeliveryCount");
        });
        Control.show("setJMSCorrelationIDAsBytes({0, -1, -128})", "[0, -1, -128]", () -> {
            Message message = session.createMessage();
            message.setJMSCorrelationIDAsBytes(new byte[] {0, -1, -128});
            sent(message);
            Message received = consumer.receive(2000);
            session.commit();
            return java.util.Arrays.toString(received.getJMSCorrelationIDAsBytes());
        });
        connection.close();
    }

    static Message sent(Message message) throws JMSException {
        producer.send(message);
        session.commit();
        return message;
    }
}
