import static jakarta.jms.Session.*;

import jakarta.jms.*;
import java.io.*;
import java.net.*;

/** A transaction whose connection is lost, and so rolled back by the broker: what commit() throws. */
class LostCommit {
    public static void main(String[] args) throws Exception {
        for (String reconnect : new String[] {"false", "true"}) {
            URI broker = URI.create(args[0]);
            ServerSocket proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            var open = new java.util.concurrent.CopyOnWriteArrayList<Socket>();
            daemon(() -> {
                while (true) {
                    Socket client = proxy.accept();
                    Socket server = new Socket("127.0.0.1", broker.getPort());
                    open.add(client);
                    open.add(server);
                    daemon(() -> client.getInputStream().transferTo(server.getOutputStream()));
                    daemon(() -> server.getInputStream().transferTo(client.getOutputStream()));
                }
            });
            Connection connection = Control.factory(
                "imqAddressList", "mqtcp://127.0.0.1:" + proxy.getLocalPort() + "/jms",
                "imqReconnectEnabled", reconnect, "imqReconnectInterval", "100", "imqReconnectAttempts", "100"
            ).createConnection();
            connection.setExceptionListener(error -> {});
            Session session = connection.createSession(true, SESSION_TRANSACTED);
            session.createProducer(session.createQueue(Control.fresh())).send(session.createMessage());
            for (Socket each : open) each.close();
            Thread.sleep(3000);
            Control.show("connection lost, reconnects " + reconnect + ": commit()", "TransactionRolledBackException", () -> {
                session.commit();
                return "committed";
            });
            for (String time : new String[] {"first", "second"}) {
                Control.show("and connection.close(), the " + time + " time", "nothing", () -> {
                    connection.close();
                    return "nothing";
                });
            }
        }
        System.exit(0);
    }

    static void daemon(Step step) {
        Thread thread = new Thread(() -> {
            try {
                step.run();
            } catch (IOException gone) {
                // the connection was cut
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    interface Step {
        void run() throws IOException;
    }
}
