import jakarta.jms.*;

/** What the programs share: the factory of OpenMQ, which javac need not know. */
class Control {
    static ConnectionFactory factory(String... properties) throws Exception {
        Object made = Class.forName("com.sun.messaging.ConnectionFactory").getConstructor().newInstance();
        var setter = made.getClass().getMethod("setProperty", String.class, String.class);
        for (int i = 0; i < properties.length; i += 2) {
            setter.invoke(made, properties[i], properties[i + 1]);
        }
        return (ConnectionFactory) made;
    }

    static ConnectionFactory at(String address) throws Exception {
        return factory("imqAddressList", address);
    }

    static String fresh() {
        return "d" + java.util.UUID.randomUUID().toString().replace("-", "");
    }

    interface Step {
        Object take() throws Exception;
    }

    /** Prints what a step gives or throws, and what the specification says. */
    static void show(String what, String said, Step step) {
        String seen;
        try {
            seen = String.valueOf(step.take());
        } catch (Throwable error) {
            seen = error.getClass().getSimpleName() + " " + error.getMessage();
        }
        System.out.printf("%-44s %s | %s%n", what, seen.replaceAll("\n.*| user=.*", ""), said);
    }
}
