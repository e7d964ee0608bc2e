import static jakarta.jms.Session.*;

import jakarta.jms.*;

/** unsubscribe() while a message is unsettled, and the two kinds of durable subscriptions. */
class Subscriptions {
    public static void main(String[] args) throws Exception {
        Connection connection = Control.at(args[0]).createConnection();
        connection.setClientID(Control.fresh());
        connection.start();
        for (boolean transacted : new boolean[] {false, true}) {
            Session session = connection.createSession(transacted, transacted ? SESSION_TRANSACTED : CLIENT_ACKNOWLEDGE);
            Topic topic = session.createTopic(Control.fresh());
            String name = Control.fresh();
            MessageConsumer consumer = session.createDurableConsumer(topic, name);
            Session sending = connection.createSession();
            sending.createProducer(topic).send(sending.createMessage());
            consumer.receive(2000).getJMSMessageID();
            consumer.close();
            Control.show("unsubscribe(), message unsettled, transacted " + transacted, "JMSException", () -> {
                session.unsubscribe(name);
                return "removed";
            });
        }
        Session session = connection.createSession();
        Topic topic = session.createTopic(Control.fresh());
        for (boolean shared : new boolean[] {true, false}) {
            String name = Control.fresh();
            MessageConsumer first = shared ? session.createSharedDurableConsumer(topic, name) : session.createDurableConsumer(topic, name);
            first.close();
            session.createProducer(topic).send(session.createTextMessage("kept"));
            Control.show("the other kind, " + (shared ? "shared" : "unshared") + " first, idle", "JMSException", () ->
                shared ? session.createDurableConsumer(topic, name) : session.createSharedDurableConsumer(topic, name));
            MessageConsumer again = shared ? session.createSharedDurableConsumer(topic, name) : session.createDurableConsumer(topic, name);
            Control.show("and the first kind again receives", "kept", () -> again.receive(2000) instanceof TextMessage text ? text.getText() : null);
            again.close();
        }
        connection.close();
    }
}
