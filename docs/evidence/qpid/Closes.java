import jakarta.jms.*;
import org.apache.qpid.jms.JmsConnectionFactory;

/**
 * How many ends of sessions RabbitMQ's plug-in for AMQP 1.0 leaves unanswered. Arguments: host and port, user and
 * password, how many sessions, and for how many milliseconds the end of one is awaited.
 */
public class Closes {
    public static void main(String[] args) throws Exception {
        JmsConnectionFactory factory = new JmsConnectionFactory("amqp://" + args[0] + ":" + args[1]
            + "?jms.closeTimeout=" + args[5] + "&jms.username=" + args[2] + "&jms.password=" + args[3]);
        Connection connection = null;
        int answered = 0, unanswered = 0;
        for (int number = 0; number < Integer.parseInt(args[4]); number++) {
            if (connection == null) {
                connection = factory.createConnection();
                connection.start();
            }
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            session.createConsumer(session.createQueue("/queue/q" + number % 10));
            try {
                session.close();
                answered++;
            } catch (JMSException error) {
                System.out.println(number + ": " + error.getMessage());
                unanswered++;
                connection.close();
                connection = null;
            }
        }
        System.out.println(answered + " closes answered, " + unanswered + " not");
        System.exit(0);
    }
}
