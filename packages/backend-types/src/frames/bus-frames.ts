/** Every frame of the `/events` socket, hub <-> programs that speak on the bus. */
import { z } from 'zod'
import {
  BusDelivery,
  BusHello,
  BusSubscribe,
  BusSubscribed,
  BusWelcome,
  PublishAnswer,
  PublishRequest,
} from '../bus/rest'
import type { EventsOf, FrameTable } from './frame'

export const programToHub = {
  hello: {
    summary: 'Joins the bus, once on a connection and before everything else (BUS-8)',
    frame: BusHello,
    reply: BusWelcome,
  },
  subscribe: {
    summary: 'Says which topics it wants, in the place of what it said before, and from which offset on (BUS-7)',
    frame: BusSubscribe,
    reply: BusSubscribed,
  },
  publish: {
    summary: 'Publishes messages. Each is judged by itself (BUS-3)',
    frame: PublishRequest,
    reply: PublishAnswer,
  },
  bye: { summary: 'Leaves the bus: what follows is no crash (BUS-8)', frame: z.object({}), reply: z.object({}) },
} as const satisfies FrameTable

export const hubToProgram = {
  message: { summary: 'Messages in the order of their offsets, at least once (BUS-7)', frame: BusDelivery },
} as const satisfies FrameTable

export type ProgramToHub = EventsOf<typeof programToHub>
export type HubToProgram = EventsOf<typeof hubToProgram>
