import static jakarta.jms.Session.*;

import jakarta.jms.*;

/** A listener that throws, and what java.util.logging gets to hear at the level WARNING. */
class Listening {
    public static void main(String[] args) throws Exception {
        int[] heard = {0};
        var root = java.util.logging.Logger.getLogger("");
        for (var each : root.getHandlers()) root.removeHandler(each);
        root.addHandler(new java.util.logging.StreamHandler() {
            @Override
            public void publish(java.util.logging.LogRecord record) {
                heard[0]++;
            }
        });
        Connection connection = Control.at(args[0]).createConnection();
        for (int mode : new int[] {AUTO_ACKNOWLEDGE, CLIENT_ACKNOWLEDGE}) {
            Session session = connection.createSession(false, mode);
            Queue queue = session.createQueue(Control.fresh());
            int[] calls = {0};
            session.createConsumer(queue).setMessageListener(message -> {
                calls[0]++;
                throw new IllegalArgumentException("on purpose");
            });
            connection.start();
            Session sending = connection.createSession();
            sending.createProducer(queue).send(sending.createMessage());
            Thread.sleep(2000);
            Control.show("listener throws, mode " + mode + ": calls; log records", "at least 1 record", () -> calls[0] + "; " + heard[0]);
        }
        connection.close();
    }
}
