/**
 * Makes each kind of frame fit the link. A frame that is too large would close the link for every session of the machine
 * (LINK-5). These functions split it or cut it; the outlet drops what still does not fit (`outlet.ts`). Pure.
 */
import type {
  AgentToHub,
  CommandAnswer,
  ErrorBody,
  FrameOf,
  Hello,
  Question,
  QuestionAnswer,
} from '@roundhouse/backend-types'
import {
  beginningOf,
  boundedState,
  fittingBlock,
  fittingList,
  fittingLive,
  fittingManifest,
  isWithin,
} from '@roundhouse/delivery'

export type FrameKind = keyof AgentToHub
type Ways = { [K in FrameKind]: (frame: FrameOf<AgentToHub, K>, bytes: number) => FrameOf<AgentToHub, K>[] }

/** Ids and numbers, as many as their schema allows. */
const asItIs = <F>(frame: F): F[] => [frame]

/** `bytes`: of a whole frame. */
export const frameWays: Ways = {
  hello: (hello, bytes) => [fittingHello(hello, bytes)],
  sessions: asItIs,
  // What is sent at once of a log is limited where it is read (FLOW-1).
  events: asItIs,
  live: ({ frames }, bytes) => fittingLive(frames, bytes).map((group) => ({ frames: group })),
  state: (state, bytes) => [boundedState(state, bytes)],
  waits: asItIs,
  manifest: ({ manifest }) => [{ manifest: fittingManifest(manifest) }],
  clock: asItIs,
  image: asItIs,
  command: (news) => [{ ...news, answer: fittingNews(news.answer) }],
}

type AnswerWays = { [K in Question['kind']]: (answer: QuestionAnswer<K>, bytes: number) => QuestionAnswer<K> }

const answerWays: AnswerWays = {
  manifest: ({ manifest }) => ({ manifest: fittingManifest(manifest) }),
  folders: (answer, bytes) => {
    if (isWithin(answer, bytes)) return answer
    const roots = fittingList(answer.roots, bytes / 4)
    const folders = fittingList(answer.folders, bytes / 2)
    return { ...answer, roots, folders, complete: false }
  },
  rules: ({ rules }, bytes) => ({ rules: fittingList(rules, bytes / 2) }),
  commands: (answer, bytes) =>
    isWithin(answer, bytes) ? answer : { commands: fittingList(answer.commands, bytes / 2), complete: false },
  artifact: (chunk) => chunk,
  // The host has made it fit (CMD-11).
  query: (answer) => answer,
  files: (answer) => answer,
  block: fittingBlock,
}

export const fittingAnswer = <K extends Question['kind']>(kind: K, answer: unknown, bytes: number): unknown =>
  answerWays[kind](answer as QuestionAnswer<K>, bytes)

export const fittingCommandAnswer = (answer: CommandAnswer): CommandAnswer =>
  answer.state === 'refused' ? { ...answer, error: fittingError(answer.error) } : answer

type NewsAnswer = FrameOf<AgentToHub, 'command'>['answer']

const fittingNews = (answer: NewsAnswer): NewsAnswer =>
  answer.error ? { ...answer, error: fittingError(answer.error as ErrorBody) } : answer

const LONGEST_MESSAGE_BYTES = 16_384
const DETAILS_BYTES = 16_384

/** The code is what counts. */
export function fittingError({ details, ...error }: ErrorBody): ErrorBody {
  const message = beginningOf(error.message, LONGEST_MESSAGE_BYTES)
  return { ...error, message, ...(details && isWithin(details, DETAILS_BYTES) ? { details } : {}) }
}

/** The hub keeps no more of it (BAD-4). */
function fittingHello(hello: Hello, bytes: number): Hello {
  const { policy, host } = hello
  return {
    ...hello,
    manifest: fittingManifest(hello.manifest),
    host: { ...host, name: host.name.slice(0, 200) },
    policy: {
      ...policy,
      roots: fittingList(policy.roots, bytes / 4),
      summary: beginningOf(policy.summary, LONGEST_MESSAGE_BYTES),
    },
  }
}
