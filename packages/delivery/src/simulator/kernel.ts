/**
 * The kernel as the simulated processes call it: the real functions, and the few habits of the code around them that the
 * kernel's promises rest on. A mutant is this object with one thing wrong.
 */
import * as real from '../index'

const functions = {
  acceptBatch: real.acceptBatch,
  judgeReport: real.judgeReport,
  isFenced: real.isFenced,
  projectEvent: real.projectEvent,
  mergeHostState: real.mergeHostState,
  viewStatus: real.viewStatus,
  commandStep: real.commandStep,
  commandsToSend: real.commandsToSend,
  newsCounts: real.newsCounts,
  decide: real.decide,
  decisionStands: real.decisionStands,
  makePlanner: (...args: ConstructorParameters<typeof real.SendPlanner>) => new real.SendPlanner(...args),
  makeLink: (...args: ConstructorParameters<typeof real.LinkState>) => new real.LinkState(...args),
  fillHoles: real.fillHoles,
  rebaseEvents: real.rebaseEvents,
  receiveCommand: real.receiveCommand,
  receiveCancel: real.receiveCancel,
  startCommand: real.startCommand,
  recoverCommand: real.recoverCommand,
  enqueue: real.promptQueue.enqueue,
  takeNext: real.promptQueue.takeNext,
  turnEnded: real.promptQueue.turnEnded,
  beginApply: real.beginApply,
  finishApply: real.finishApply,
  closeAfterCrash: real.closeAfterCrash,
  grantCovers: real.grantCovers,
  receiveEvents: real.receiveEvents,
  receiveHead: real.receiveHead,
  applyFrame: real.applyFrame,
  viewerStep: real.viewerStep,
}

const habits = {
  /** The hub answers a batch when the disk has confirmed it (ACK-1). */
  ackAfterFlush: true,
  /** The agent sends what the disk has confirmed (LOG-3). */
  sendAfterFlush: true,
  /** The host tells the CLI when `applying` is on disk (PERM-2). */
  applyAfterFlush: true,
  /** The hub sends no command while the session's stream is stopped. */
  holdCommandsWhileStopped: true,
  /** A restored hub asks again about commands that look unsent or unfinished (REB-2). */
  askAgainAfterRestore: true,
  /** A log that is shorter than the index remembers gets a new id (REB-1). */
  newLogIdAfterLoss: true,
  /** The hub keeps a tombstone in place of a body that is not what its host hashed (BAD-2). */
  comparesHashes: true,
}

export type Kernel = typeof functions & typeof habits
export const kernel: Kernel = { ...functions, ...habits }
