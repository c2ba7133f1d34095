package albic;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.scheduler.DAGScheduler;
import org.apache.spark.scheduler.ExecutorCacheTaskLocation;
import org.apache.spark.scheduler.Stage;
import org.apache.spark.scheduler.Task;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSetManager;

/**
 * Runs on the driver: tasks that wait for an executor which is lost are placed anew.
 *
 * Spark reckons where a task should run when its stage begins, and not again. A task that waits for
 * a lost executor may go anywhere in the end, and loads its state there. Here Spark is asked once
 * more, for its coordinator may name another owner by now.
 *
 * Written for the compiler that Spark has for its generated code: no generics, no lambdas.
 */
public final class Waiting {
  /** Place tasks anew that wait for one of these executors; return how many there were. */
  public static int placeAnew(Object scheduling, Object stages, List lost) throws Exception {
    TaskSchedulerImpl scheduler = (TaskSchedulerImpl) scheduling;
    DAGScheduler dag = (DAGScheduler) stages;
    ArrayList found = new ArrayList();
    scala.collection.mutable.ArrayBuffer sets = scheduler.rootPool().getSortedTaskSetQueue();
    for (int at = 0; at < sets.size(); at += 1) {
      TaskSetManager set = (TaskSetManager) sets.apply(at);
      scala.Option stage = dag.stageIdToStage().get(Integer.valueOf(set.stageId()));
      if (stage.isEmpty()) continue;
      Task[] tasks = set.tasks();
      for (int index = 0; index < tasks.length; index += 1) {
        if (!waits(set, index) || !isFor(tasks[index], lost)) continue;
        // Asks the coordinator, so not while the scheduler is locked.
        Object places = dag.getPreferredLocs(((Stage) stage.get()).rdd(), tasks[index].partitionId());
        found.add(new Object[] {set, Integer.valueOf(index), places});
      }
    }
    int placed = 0;
    synchronized (scheduler) {
      for (Object each : found) {
        Object[] one = (Object[]) each;
        TaskSetManager set = (TaskSetManager) one[0];
        int index = ((Integer) one[1]).intValue();
        if (!waits(set, index)) continue;
        Task task = set.tasks()[index];
        Field places = task.getClass().getDeclaredField("preferredLocs");
        places.setAccessible(true);
        places.set(task, one[2]);
        // It stands in the old lists too, and whoever takes it from one leaves it in the others.
        set.addPendingTask(index, true, false);
        set.recomputeLocality();
        placed += 1;
      }
    }
    scheduler.backend().reviveOffers();
    return placed;
  }

  static boolean waits(TaskSetManager set, int index) {
    return !set.isZombie() && !set.successful()[index] && set.copiesRunning()[index] == 0;
  }

  static boolean isFor(Task task, List lost) {
    scala.collection.Iterator places = task.preferredLocations().iterator();
    while (places.hasNext()) {
      Object place = places.next();
      if (place instanceof ExecutorCacheTaskLocation
          && lost.contains(((ExecutorCacheTaskLocation) place).executorId())) {
        return true;
      }
    }
    return false;
  }
}
