/**
 * The events that one connection of an agent receives, and the effects that it asks for. Data only: `link-state.ts` decides,
 * and its caller does the I/O.
 */
import type { CommandAnswer, ErrorBody, LinkLimits, Verdict } from '@roundhouse/backend-types'
import type { RebaseOrder } from '../agent/send-planner'

/** What an agent says of a command beside its log. */
export interface CommandNewsItem {
  commandId: string
  sessionId: string
  answer: CommandAnswer
}

/** The log's last number, and the last that a hub acked under which epoch; zeros where there is no log. */
export interface LogPosition {
  head: number
  acked: number
  ackedEpoch: string
}

/** Which of the logs that a session had on this connection this is about. */
interface OfLog {
  sessionId: string
  generation: number
}

export type LinkEvent =
  | { kind: 'welcomed'; hubEpoch: string; limits: LinkLimits }
  /** The time for the welcome and the answer to the hello is over. */
  | { kind: 'welcomeOverdue' }
  | { kind: 'helloTaken' }
  /** The verdicts on one page of reports. */
  | { kind: 'pageAnswered'; named: readonly string[]; verdicts: readonly Verdict[]; isLast: boolean }
  /** The answer to the report of one session, which may have no verdict. */
  | { kind: 'reportAnswered'; sessionId: string; verdicts: readonly Verdict[] }
  | { kind: 'nothingToReport'; sessionId: string }
  | { kind: 'verdictCame'; verdict: Verdict }
  /** Where the log of a judged session stands. */
  | { kind: 'positioned'; verdict: Verdict; position: LogPosition }
  | { kind: 'appended'; sessionId: string; head: number }
  /** The log of this session is another one. */
  | { kind: 'renewed'; sessionId: string }
  | { kind: 'restOver'; sessionId: string; pause: number }
  /** The hub asked for a pause of all events. */
  | { kind: 'holdCame'; ms: number }
  | { kind: 'holdOver' }
  | { kind: 'pumped' }
  | { kind: 'batchSent'; sessionId: string; last: number; events: number; bytes: number }
  | { kind: 'nothingRead'; sessionId: string }
  | { kind: 'unreadable'; sessionId: string }
  | ({ kind: 'acked'; upTo: number } & OfLog)
  | ({ kind: 'refused'; error: ErrorBody } & OfLog)
  /** A batch that fits no frame. */
  | ({ kind: 'unsendable' } & OfLog)
  | ({ kind: 'moved'; to: number; head: number } & OfLog)
  | ({ kind: 'notMoved' } & OfLog)
  | { kind: 'newsDue'; item: CommandNewsItem }
  /** `passing`: refused for a reason that passes. `silent`: no answer came. */
  | { kind: 'newsAnswered'; item: CommandNewsItem; answer: 'taken' | 'refused' | 'passing' | 'silent' }
  | { kind: 'failed'; reason: string; code?: string }

export type LinkEffect =
  /** JOIN-4: the chain on the disk, and then the hello. Becomes `helloTaken` or `failed`. */
  | { do: 'sayHello' }
  /** What is said behind every hello: accounts, waits, and news. */
  | { do: 'greet' }
  /** Becomes `pageAnswered` or `failed`. */
  | { do: 'reportPage' }
  /** Every page was answered. */
  | { do: 'goOnline' }
  /** Becomes `reportAnswered`, `nothingToReport`, or `failed`. */
  | { do: 'report'; sessionId: string }
  | { do: 'tellState'; sessionId: string }
  /** The daemon hears the verdict first. Becomes `positioned`. */
  | { do: 'take'; verdict: Verdict }
  /** At the end of this turn, so that all that comes in it is sent together. Becomes `pumped`. */
  | { do: 'pump' }
  /** Reads and sends one batch. Becomes `batchSent`, `nothingRead`, or `unreadable`, and later the answer. */
  | { do: 'send'; sessionId: string; generation: number; after: number; upTo: number }
  | { do: 'ack'; sessionId: string; upTo: number }
  /** Becomes `moved` or `notMoved`. */
  | { do: 'rebase'; sessionId: string; generation: number; order: RebaseOrder }
  | { do: 'stop'; sessionId: string; error: ErrorBody }
  | { do: 'tellNews'; item: CommandNewsItem }
  | { do: 'newsDelivered'; item: CommandNewsItem }
  /** After so long, this event. */
  | { do: 'wait'; ms: number; next: LinkEvent }
  /** `lived`: what comes next is a new failure (LINK-4). */
  | { do: 'end'; reason: string; code?: string; lived: boolean }
