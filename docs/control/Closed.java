import jakarta.jms.*;

/** What a closed session, connection or context refuses, and destinations that are none. */
class Closed {
    public static void main(String[] args) throws Exception {
        ConnectionFactory factory = Control.at(args[0]);
        Connection connection = factory.createConnection();
        Session session = connection.createSession();
        session.close();
        Control.show("closed session: createProducer(null)", "IllegalStateException", () -> session.createProducer(null));
        Control.show("closed session: createMessage()", "IllegalStateException", session::createMessage);
        Session other = connection.createSession();
        Queue queue = other.createQueue(Control.fresh());
        connection.close();
        Control.show("closed connection: session.createProducer(q)", "IllegalStateException", () -> other.createProducer(queue));
        Control.show("closed connection: session.createConsumer(q)", "IllegalStateException", () -> other.createConsumer(queue));

        JMSContext context = factory.createContext();
        JMSConsumer consumer = context.createConsumer(context.createQueue(Control.fresh()));
        consumer.close();
        Control.show("closed JMSConsumer: receiveNoWait()", "IllegalStateRuntimeException", consumer::receiveNoWait);
        context.close();
        Control.show("closed JMSContext: createMessage()", "IllegalStateRuntimeException", context::createMessage);

        Session open = factory.createConnection().createSession();
        Control.show("createProducer(destination of nobody)", "InvalidDestinationException", () -> open.createProducer(new Nowhere()));
        Control.show("createConsumer(destination of nobody)", "InvalidDestinationException", () -> open.createConsumer(new Nowhere()));
        System.exit(0);
    }

    static class Nowhere implements Destination {}
}
