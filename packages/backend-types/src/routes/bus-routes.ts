/** Messages between programs (the bus). */
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
    errors: ['MESSAGE_INVALID', 'TOPIC_FORBIDDEN', 'RATE_LIMITED'],
  },
  listMessages: {
    method: 'get',
    path: '/events',
    tag: 'bus',
    summary: 'Messages of the bus after an offset, as far as the caller may see them',
    query: MessagesQuery,
    answer: MessagesPage,
  },
  listPeers: {
    method: 'get',
    path: '/peers',
    tag: 'bus',
    summary: 'Who speaks on the bus, as far as the caller may see them',
    answer: PeersList,
  },
} as const satisfies RouteTable
