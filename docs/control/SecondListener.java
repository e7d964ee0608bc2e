import jakarta.jms.*;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** On a running JMSContext a second listener is set while the first is at work; ten messages wait for each. */
class SecondListener {
    public static void main(String[] args) throws Exception {
        ConnectionFactory factory = Control.at(args[0]);
        int rounds = 8, served = 0;
        for (int round = 0; round < rounds; round++) {
            try (JMSContext context = factory.createContext(); JMSContext sending = factory.createContext()) {
                Queue first = context.createQueue(Control.fresh()), second = context.createQueue(Control.fresh());
                for (Queue queue : new Queue[] {first, second}) {
                    for (int i = 0; i < 10; i++) sending.createProducer().send(queue, "message " + i);
                }
                JMSConsumer one = context.createConsumer(first), other = context.createConsumer(second);
                CountDownLatch begun = new CountDownLatch(1), all = new CountDownLatch(20);
                one.setMessageListener(message -> {
                    begun.countDown();
                    pause();
                    all.countDown();
                });
                begun.await();
                other.setMessageListener(message -> {
                    pause();
                    all.countDown();
                });
                if (all.await(10, TimeUnit.SECONDS)) served++;
                else System.out.println("round " + round + ": " + all.getCount() + " messages did not come");
                one.close(); // close() of a context with two consumers may throw ConcurrentModificationException
                other.close();
            }
        }
        int came = served;
        Control.show("second listener set while the first works", rounds + " of " + rounds, () -> came + " of " + rounds);
        System.exit(0); // threads of a context that lost its listener live on
    }

    static void pause() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }
}
