package albic;

import java.io.FileNotFoundException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateStoreProviderId;
import org.apache.spark.util.SerializableConfiguration;

/**
 * Runs on an executor: loads state stores before the executor owns them, follows their owner from
 * version to version, and gives them to Spark in the moment in which Spark names the executor.
 *
 * A copy is a provider of Spark's own that Spark does not know of yet. So no task can meet it, no
 * maintenance closes it and nobody is told of it; it reads the checkpoint and writes nothing. When
 * the coordinator names this executor, the copy becomes the executor's provider. Whoever opens it
 * asks for a version, and Spark loads anew if that is another one than the copy has: a copy that
 * is late costs what there would have been to pay without it, and can never change a result.
 *
 * Written for the compiler that Spark has for its generated code: no generics, no lambdas.
 */
public final class Follower implements FlatMapFunction {
  /** How long to wait between two looks at the checkpoint and at the coordinator. */
  static final long PAUSE_MS = 40;
  /** As long for a copy that is kept in case its owner is lost, until the bell is rung. */
  static final long KEPT_PAUSE_MS = 2000;
  /** How long to wait between two looks at the bell, which all kept copies share. */
  static final long BELL_PAUSE_MS = 100;
  /** How long a task of ours may take from writing a version to having it. */
  static final long OWN_MS = 200;
  /** How long a copy that has come to an end is told of. */
  static final long TOLD_MS = 60000;
  /** Copies of this executor by the id of their provider. */
  static final ConcurrentHashMap COPIES = new ConcurrentHashMap();
  /** One load at a time: two would share the link that batches need too. */
  static final Semaphore LOADS = new Semaphore(1);
  /** Bells, each with when it was last looked at, and whether it was rung. */
  static final ConcurrentHashMap BELLS = new ConcurrentHashMap();

  /**
   * Take in what the driver asks for, and say how all copies are doing.
   *
   * An order is an array: "follow" or "keep" with the recipe of a store, or with its id "leave",
   * or "close" for one that the executor owned.
   */
  public Iterator call(Object orders) throws Exception {
    String here;
    try {
      here = executor();
    } catch (Throwable wrong) {
      throw new IllegalStateException("an executor does not know its id", wrong);
    }
    for (Iterator each = (Iterator) orders; each.hasNext();) {
      for (Object one : (Object[]) each.next()) {
        Object[] order = (Object[]) one;
        // A task may end up elsewhere than it was asked to.
        if (!here.equals(order[2])) continue;
        Copy known = (Copy) COPIES.get(order[1]);
        if ("close".equals(order[0])) {
          closeOwned(order[1]);
        } else if ("leave".equals(order[0])) {
          if (known != null && (order[3] == null || order[3].equals(known.ticket()))) known.left = true;
        } else if (known == null || known.ended) {
          Copy copy = new Copy(order);
          COPIES.put(copy.id, copy);
          copy.start();
        } else if ("follow".equals(order[0]) || known.kept()) {
          // A kept copy is there already when its store is to move, and for longer if still wanted.
          known.take(order);
        }
      }
    }
    ArrayList told = new ArrayList();
    for (Object each : COPIES.values().toArray()) {
      Copy copy = (Copy) each;
      told.add(here + "\t" + copy.told());
      if (copy.ended && System.currentTimeMillis() > copy.until) COPIES.remove(copy.id);
    }
    return told.iterator();
  }

  /**
   * Close a store that this executor owned and does not any more.
   *
   * Spark would do that at its next maintenance, up to a minute later. A store that it has set
   * aside for that already is not among the loaded ones, but in a queue.
   */
  static void closeOwned(Object id) throws Exception {
    if (isActive(id)) return;
    scala.collection.mutable.HashMap providers = providers();
    scala.Option owned;
    synchronized (providers) {
      owned = providers.remove(id);
    }
    if (owned.isDefined()) ((StateStoreProvider) owned.get()).close();
    Queue queue;
    try {
      queue = (Queue) hidden(module("StateStore"), "unloadedProvidersToClose");
    } catch (NoSuchMethodException older) {
      return;
    }
    for (Object each : queue.toArray()) {
      scala.Product aside = (scala.Product) each;
      if (id.equals(aside.productElement(0)) && queue.remove(each)) {
        ((StateStoreProvider) aside.productElement(1)).close();
      }
    }
  }

  /** Return whether the coordinator names this executor as the owner of a store. */
  static boolean isActive(Object id) throws Exception {
    return ((Boolean) hidden(module("StateStore"), "verifyIfStoreInstanceActive",
        new Object[] {id})).booleanValue();
  }

  /** Return the stores that Spark has open here, by id; whoever uses them holds their lock. */
  static scala.collection.mutable.HashMap providers() throws Exception {
    return (scala.collection.mutable.HashMap) hidden(module("StateStore"), "loadedProviders");
  }

  /** Return whether the driver has named this executor as the owner of a bell: some are called. */
  static boolean isRung(Object bell) throws Exception {
    long now = System.currentTimeMillis();
    long[] heard = (long[]) BELLS.get(bell);
    if (heard == null || now - heard[0] >= BELL_PAUSE_MS) {
      heard = new long[] {now, isActive(bell) ? 1L : 0L};
      BELLS.put(bell, heard);
    }
    return heard[1] != 0L;
  }

  // What differs between versions of Spark, from here to the next line like this.

  /** Return the arguments of a provider in an order, in the order of Spark's own method. */
  static Object[] opening(Object[] order) {
    return (Object[]) order[3];
  }

  static Configuration configuration(Object[] opening) {
    for (Object each : opening) {
      if (each instanceof Broadcast) return ((SerializableConfiguration) ((Broadcast) each).value()).value();
    }
    throw new IllegalArgumentException("no settings of Hadoop");
  }

  /** Return a provider that Spark does not know of; 3.5 has fewer arguments. */
  static StateStoreProvider made(StateStoreProviderId id, Object[] opening) throws Exception {
    Object[] arguments = new Object[opening.length + 1];
    arguments[0] = id;
    for (int at = 0; at < opening.length; at += 1) {
      Object each = opening[at];
      arguments[at + 1] = each instanceof Broadcast ? configuration(opening) : each;
    }
    return (StateStoreProvider) hidden(module("StateStoreProvider"), "createAndInit", arguments);
  }

  /** Return a store that only reads; 3.5 has no ids of versions. */
  static Object read(StateStoreProvider provider, long version) throws Exception {
    Long wanted = Long.valueOf(version);
    if (method(provider, "getReadStore", 1) != null) {
      return hidden(provider, "getReadStore", new Object[] {wanted});
    }
    return hidden(provider, "getReadStore", new Object[] {wanted, scala.Option.empty()});
  }

  /** Let a store go, with what is loaded; before 4.1 Spark can only abort, which forgets that. */
  static void release(StateStoreProvider provider, Object reading) throws Exception {
    if (method(reading, "release", 0) != null) {
      hidden(reading, "release");
    } else if (method(provider, "rocksDB", 0) != null) {
      Object database = hidden(provider, "rocksDB");
      if (method(database, "release", 0) != null) {
        hidden(database, "release");
      } else {
        hidden(database, "release", new Object[] {module("RollbackStore"), scala.Option.empty()});
      }
    } else {
      hidden(reading, "abort");
    }
  }

  /** Put the changes of the next version on top; 3.5 takes its number alone. */
  static void takeChanges(Object database, long next) throws Exception {
    Long number = Long.valueOf(next);
    Object changes = number;
    if (method(database, "replayChangelog", 1).getParameterTypes()[0].isArray()) {
      changes = java.lang.reflect.Array.newInstance(scala.Tuple2.class, 1);
      java.lang.reflect.Array.set(changes, 0, new scala.Tuple2(number, scala.Option.empty()));
    }
    hidden(database, "replayChangelog", new Object[] {changes});
  }

  /** Write down that a version is loaded, where 3.5 does not look. */
  static void noteVersion(Object database, long next) throws Exception {
    if (method(database, "numInternalKeysOnWritingVersion", 0) == null) return;
    hidden(database, "numInternalKeysOnLoadedVersion_$eq",
        new Object[] {hidden(database, "numInternalKeysOnWritingVersion")});
    hidden(hidden(database, "fileManager"), "setMaxSeenVersion", new Object[] {Long.valueOf(next)});
  }

  // What differs between versions of Spark ends here.

  /** Return a method that Spark keeps to itself, or null if it has none. */
  static Method method(Object owner, String name, int arguments) {
    for (Class kind = owner.getClass(); kind != null; kind = kind.getSuperclass()) {
      for (Method method : kind.getDeclaredMethods()) {
        if (method.getName().equals(name) && method.getParameterCount() == arguments) return method;
      }
    }
    return null;
  }

  /** Call a method that Spark keeps to itself. */
  static Object hidden(Object owner, String name, Object[] arguments) throws Exception {
    Method found = method(owner, name, arguments.length);
    if (found == null) throw new NoSuchMethodException(owner.getClass().getName() + "." + name);
    found.setAccessible(true);
    return found.invoke(owner, arguments);
  }

  static Object hidden(Object owner, String name) throws Exception {
    return hidden(owner, name, new Object[0]);
  }

  /** Return the id of this executor; SparkEnv names classes that are missing, so by hand. */
  static String executor() throws Throwable {
    Class env = Class.forName("org.apache.spark.SparkEnv");
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    Object here = lookup.findStatic(env, "get", MethodType.methodType(env)).invokeWithArguments(new Object[0]);
    return (String) lookup.findVirtual(env, "executorId", MethodType.methodType(String.class))
        .invokeWithArguments(new Object[] {here});
  }

  /** Return the one instance of a Scala object. */
  static Object module(String name) throws Exception {
    return Class.forName("org.apache.spark.sql.execution.streaming.state." + name + "$")
        .getField("MODULE$").get(null);
  }

  /** One store that is followed. */
  static final class Copy extends Thread {
    final StateStoreProviderId id;
    volatile Object[] order;
    final Configuration hadoop;
    final Path folder;
    volatile long until;
    String suffix;
    long version;
    FileStatus newest;
    StateStoreProvider provider;
    /** Whether the copy is in Spark's hands. */
    boolean given;
    volatile boolean left;
    volatile boolean ended;
    volatile String state = "waiting";
    volatile String why = "";
    volatile long loadMs;
    volatile long stepMs;

    /** See ``Recipe`` in followers.py for what an order holds. */
    Copy(Object[] order) {
      super("albic follows " + ((StateStoreProviderId) order[1]).storeId());
      setDaemon(true);
      this.order = order;
      this.id = (StateStoreProviderId) order[1];
      this.hadoop = configuration(opening(order));
      this.folder = id.storeId().storeCheckpointLocation();
      this.version = ((Number) order[4]).longValue();
      take(order);
    }

    /** Do from now on what an order says. */
    void take(Object[] order) {
      this.order = order;
      this.until = System.currentTimeMillis() + ((Number) order[5]).longValue();
    }

    /** Return whether this copy is kept in case its owner is lost; else it is for a move. */
    boolean kept() {
      return "keep".equals(order[0]);
    }

    Object ticket() {
      return order[6];
    }

    String told() {
      return id.storeId().operatorId() + "\t" + id.storeId().partitionId() + "\t"
          + id.storeId().storeName() + "\t" + id.queryRunId() + "\t" + ticket() + "\t" + state + "\t" + version
          + "\t" + loadMs + "\t" + stepMs + "\t" + why.replace('\t', ' ').replace('\n', ' ');
    }

    public void run() {
      int steps = 0;
      long lookAt = 0;
      try {
        LOADS.acquire();
        try {
          if (!left) load();
        } finally {
          LOADS.release();
        }
        while (!left && !(given && used())) {
          if (System.currentTimeMillis() > until) {
            throw new IllegalStateException("nobody took it over in time");
          }
          boolean called = isCalled();
          if (!given && !called && kept() && System.currentTimeMillis() < lookAt) {
            Thread.sleep(BELL_PAUSE_MS);
            continue;
          }
          if (stepped()) {
            steps += 1;
            // Its owner is quicker than it, so far. One that is kept looks seldom, and catches up when called.
            if (!given && kept()) state = "following"; else if (!given && steps > 1) state = "loading";
            continue;
          }
          steps = 0;
          lookAt = System.currentTimeMillis() + KEPT_PAUSE_MS;
          if (!given) state = "following";
          if (!given && called) given = handedOver();
          if (given && !isActive(id)) {
            // A batch that had begun went to the old owner once more, or nothing is to move any more.
            if (called) report(); else given = !takenBack();
          }
          Thread.sleep(PAUSE_MS);
        }
      } catch (Throwable wrong) {
        Throwable cause = wrong.getCause() == null ? wrong : wrong.getCause();
        why = String.valueOf(cause);
        state = "failed";
      } finally {
        // One that a task uses is Spark's.
        if (!given) close();
        if (given) state = "used";
        if (left) state = "left";
        until = System.currentTimeMillis() + TOLD_MS;
        ended = true;
      }
    }

    void load() throws Exception {
      state = "loading";
      long began = System.nanoTime();
      provider = made(id, opening(order));
      suffix = suffix();
      open(version);
      newest = status(version, suffix);
      loadMs = (System.nanoTime() - began) / 1000000L;
    }

    /** Return what the file of a new version ends with. */
    String suffix() throws Exception {
      if (!provider.getClass().getSimpleName().startsWith("RocksDB")) return ".delta";
      Object settings = hidden(hidden(provider, "rocksDB"), "conf");
      boolean logs = ((Boolean) hidden(settings, "enableChangelogCheckpointing")).booleanValue();
      return logs ? ".changelog" : ".zip";
    }

    /** Let the provider load a version, and leave it loaded. */
    void open(long wanted) throws Exception {
      release(provider, read(provider, wanted));
    }

    /** Go on to the next version if its owner has written it; return whether it has. */
    boolean stepped() throws Exception {
      // Its owner may be lost in the midst of a batch, which then begins again where this one is.
      if (kept() && !isCommitted(version)) return false;
      FileStatus next = status(version + 1, suffix);
      boolean whole = next == null && (next = status(version + 1, ".zip")) != null;
      if (next == null) return false;
      if (given) {
        // Whoever writes the next version may be a task that has the copy by now.
        Thread.sleep(OWN_MS);
        if (used()) return false;
      }
      long began = System.nanoTime();
      if (suffix.equals(".changelog") && !whole) {
        replay(version + 1);
      } else {
        open(version + 1);
      }
      version += 1;
      newest = next;
      stepMs = (System.nanoTime() - began) / 1000000L;
      return true;
    }

    /**
     * Put the changes of one version on top of the version before it.
     *
     * Spark has no such step: it would begin again at the last snapshot. What it does from there
     * on, version by version, is done here for one.
     */
    void replay(long next) throws Exception {
      Object database = hidden(provider, "rocksDB");
      Object reading = read(provider, version);
      takeChanges(database, next);
      hidden(database, "loadedVersion_$eq", new Object[] {Long.valueOf(next)});
      hidden(database, "numKeysOnLoadedVersion_$eq",
          new Object[] {hidden(database, "numKeysOnWritingVersion")});
      noteVersion(database, next);
      release(provider, reading);
    }

    /** Return what the storage says of a version's file, or null where there is none. */
    FileStatus status(long wanted, String ending) throws Exception {
      Path file = new Path(folder, wanted + ending);
      try {
        return file.getFileSystem(hadoop).getFileStatus(file);
      } catch (FileNotFoundException none) {
        return null;
      }
    }

    /** Return whether a batch is over for good. */
    boolean isCommitted(long batch) throws Exception {
      Path root = new Path(id.storeId().checkpointRootLocation()).getParent();
      Path file = new Path(new Path(root, "commits"), String.valueOf(batch));
      return file.getFileSystem(hadoop).exists(file);
    }

    /**
     * Return whether the driver wants this copy to be the owner's from now on.
     *
     * It is called by another name of its store, and answers by naming this executor. Were that
     * named at once, a task could be here before the copy has the last version.
     */
    boolean isCalled() throws Exception {
      StateStoreProviderId bell = (StateStoreProviderId) order[7];
      if (kept() && !isRung(bell)) return false;
      return isActive(new StateStoreProviderId(id.storeId(), bell.queryRunId()));
    }

    /** Name this executor as the owner, as Spark does when a task opens a store. */
    void report() throws Exception {
      Object nobody = scala.collection.immutable.Nil$.MODULE$;
      hidden(module("StateStore"), "reportActiveStoreInstance", new Object[] {id, nobody});
    }

    /** Make the copy this executor's provider; return whether it is. */
    boolean handedOver() throws Exception {
      if (newest != null) {
        // A batch that failed after this version was written writes it again, maybe another one.
        String ending = newest.getPath().getName().substring(String.valueOf(version).length());
        FileStatus now = status(version, ending);
        if (now == null || now.getLen() != newest.getLen()
            || now.getModificationTime() != newest.getModificationTime()) {
          throw new IllegalStateException("version " + version + " was written again");
        }
      }
      scala.collection.mutable.HashMap providers = providers();
      synchronized (providers) {
        if (providers.contains(id)) {
          throw new IllegalStateException("a task was there before");
        }
        providers.put(id, provider);
      }
      state = "handed over";
      return true;
    }

    /** Return whether a task has taken the copy on to a version of its own. */
    boolean used() throws Exception {
      if (suffix.equals(".delta")) return true;
      long now = ((Number) hidden(hidden(provider, "rocksDB"), "loadedVersion")).longValue();
      return now != version;
    }

    /**
     * Take the copy out of Spark's hands if no task has come for it; return whether it is out.
     *
     * The executor was named too late for a batch, which went to the old owner once more. Should a
     * task hold the copy in this very moment, no harm is done: whoever opens a store gets the
     * version that it asks for, and one at a time.
     */
    boolean takenBack() throws Exception {
      scala.collection.mutable.HashMap providers = providers();
      synchronized (providers) {
        if (used() || !providers.get(id).contains(provider)) return false;
        providers.remove(id);
      }
      state = "following";
      return true;
    }

    void close() {
      try {
        if (provider != null) provider.close();
      } catch (Throwable wrong) {
        why = why + "; closing: " + wrong;
      }
    }
  }
}
