/** Messages between programs (the bus). */
import { AskAnswerRequest, AskView } from '../bus/asks'
import { MessagesPage, MessagesQuery, PeersList, PublishAnswer, PublishRequest } from '../bus/rest'
import type { RouteTable } from './route'

export const busRoutes = {
  publishMessages: {
    method: 'post',
    path: '/events',
    tag: 'bus',
    summary: 'Publish messages on the bus. Each is judged by itself',
    body: PublishRequest,
    answer: PublishAnswer,
    errors: ['MESSAGE_INVALID', 'TOPIC_FORBIDDEN', 'NAME_NOT_ALLOWED', 'RATE_LIMITED', 'BUS_FULL'],
  },
  listMessages: {
    method: 'get',
    path: '/events',
    tag: 'bus',
    summary: 'Messages of the bus after an offset, as far as the caller may see them',
    query: MessagesQuery,
    answer: MessagesPage,
    errors: ['RATE_LIMITED'],
  },
  listPeers: {
    method: 'get',
    path: '/peers',
    tag: 'bus',
    summary: 'Who speaks on the bus, as far as the caller may see them',
    answer: PeersList,
  },
  getAsk: {
    method: 'get',
    path: '/peers/:peerId/asks/:requestId',
    tag: 'bus',
    summary: 'What became of an ask: open, or who answered it and how',
    answer: AskView,
    errors: ['NOT_FOUND'],
  },
  answerAsk: {
    method: 'post',
    path: '/peers/:peerId/asks/:requestId/answer',
    tag: 'bus',
    summary: 'Answer what a program asks. The first answer counts; none of them decides a permission request',
    body: AskAnswerRequest,
    answer: AskView,
    errors: ['NOT_FOUND', 'ASK_CLOSED', 'ANSWER_INVALID', 'SESSION_ENDED'],
  },
} as const satisfies RouteTable
