import jakarta.jms.*;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.Map;

/** A message whose implementation is not OpenMQ's own: what arrives of it. */
class Foreign {
    public static void main(String[] args) throws Exception {
        Map<String, Object> answers = Map.of(
            "getText", "hello", "getJMSType", "a type", "getJMSCorrelationID", "an id",
            "getPropertyNames", Collections.emptyEnumeration());
        TextMessage foreign = (TextMessage) Proxy.newProxyInstance(
            Foreign.class.getClassLoader(), new Class<?>[] {TextMessage.class}, (proxy, method, given) -> answers.get(method.getName()));
        Connection connection = Control.at(args[0]).createConnection();
        connection.start();
        Session session = connection.createSession();
        Queue queue = session.createQueue(Control.fresh());
        MessageConsumer consumer = session.createConsumer(queue);
        session.createProducer(queue).send(foreign);
        TextMessage received = (TextMessage) consumer.receive(2000);
        Control.show("getText()", "hello", received::getText);
        Control.show("getJMSCorrelationID()", "an id", received::getJMSCorrelationID);
        Control.show("getJMSType()", "a type", received::getJMSType);
        connection.close();
    }
}
