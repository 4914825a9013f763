/** Entry point of the thread that runs the queries of reports on its own read-only connection, and makes checkpoints. */
import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Checkpointer } from './checkpointer.ts';
import { BUSY_TIMEOUT_MS, SqliteConnection } from './connection.ts';
import {
  type Answer,
  containsBytes,
  copyQueryError,
  type FromReportThread,
  type NumberedQuery,
  Progress,
  type ReportThreadData,
  type ToReportThread,
} from './report-messages.ts';
import { WriteLock } from './write-lock.ts';

/** How long an answer waits for others, so that quick ones share a message. */
const ANSWER_DELAY_MS = 1;

const port = parentPort as MessagePort;
const { path, cacheKibibytes, lockMemory, lockNumber, progressMemory } = workerData as ReportThreadData;
const progress = new Progress(progressMemory);
// sorts that exceed the cache go to a temporary file, because a report may sort any number of rows
const reader = new SqliteConnection(path, { readonly: true, busyTimeoutMs: BUSY_TIMEOUT_MS, cacheKibibytes });
const checkpointer = new Checkpointer(path, new WriteLock(lockMemory, lockNumber));

const queries: NumberedQuery[] = [];
let isCheckpointing = false;
let isClosing = false;

port.on('message', (message: ToReportThread) => {
  if (message === 'close') isClosing = true;
  else if (message === 'checkpoint') void checkpoint();
  else queries.push(...message);
  work();
});
flushCompileCache();

/** No query runs during a checkpoint, which may hold the write lock and would wait for the query. */
function work(): void {
  if (isCheckpointing) return;
  let answers: Answer[] = [];
  let oldest = 0;
  for (const query of queries.splice(0)) {
    if (progress.isSkipped(query.number)) continue;
    answers.push(answerTo(query));
    const now = performance.now();
    if (answers.length === 1) oldest = now;
    if (now - oldest < ANSWER_DELAY_MS) continue;
    send(answers);
    answers = [];
  }
  if (answers.length > 0) send(answers);
  if (isClosing) close();
}

function answerTo({ number, method, sql, parameters }: NumberedQuery): Answer {
  progress.running = number;
  try {
    const result = method === 'get' ? reader.get(sql, parameters) : reader.allByRow(sql, parameters);
    return { number, result, hasBytes: containsBytes(result), error: null };
  } catch (error) {
    return { number, result: null, error: copyQueryError(error) };
  } finally {
    progress.running = 0;
  }
}

async function checkpoint(): Promise<void> {
  isCheckpointing = true;
  try {
    send({ wal: await checkpointer.run(), error: null });
  } catch (error) {
    send({ wal: null, error: copyQueryError(error) });
  }
  isCheckpointing = false;
  work();
}

function send(message: FromReportThread): void {
  port.postMessage(message);
}

function close(): void {
  reader.close();
  checkpointer.close();
  port.close();
}
