/** Conversations that Codex has on disk, ours and those of its other interfaces, for the import. */

import { type Rpc, RpcError } from '@roundhouse/adapter-kit'
import { asList, asNumber, asRecord, asText, type Json } from '@roundhouse/adapter-kit/read'
import {
  type AdapterContext,
  areRefusalWords,
  type BackendOutput,
  CodedError,
  transcriptPrompt,
} from '@roundhouse/backend-types'
import { findBinary } from '../program/binary'
import { withAppServer } from '../program/short-lived'
import { Translator } from '../translate/translate'

export interface ListedSession {
  backendSessionId: string
  workDir: string
  title: string
  updatedAt: number
}

const timeoutMs = 30_000
const pageSize = 100
/** Older ones than these are not listed. */
const mostSessions = 1_000
const titleLength = 200

export async function listSessions(context: AdapterContext): Promise<ListedSession[]> {
  const threads = await ask(context, (rpc) => pagesOf(rpc, 'thread/list', {}, mostSessions))
  return threads.map(sessionOf)
}

export async function readSession(context: AdapterContext, backendSessionId: string): Promise<BackendOutput[]> {
  const about = { threadId: backendSessionId }
  const entries = await ask(context, (rpc) => pagesOf(rpc, 'thread/items/list', about, Number.POSITIVE_INFINITY)).catch(
    (error) => {
      if (error instanceof RpcError) throw new CodedError('RESUME_UNAVAILABLE', undefined, undefined, error)
      throw error
    },
  )
  return outputsOf(
    backendSessionId,
    entries.map(({ item }) => asRecord(item)),
  )
}

/** Pure. */
export function sessionOf(thread: Json): ListedSession {
  const title = asText(thread.name) ?? asText(thread.preview) ?? ''
  return {
    backendSessionId: asText(thread.id) ?? '',
    workDir: asText(thread.cwd) ?? '',
    title: (title.trim().split('\n')[0] ?? '').slice(0, titleLength),
    updatedAt: (asNumber(thread.updatedAt) ?? 0) * 1000,
  }
}

/** Pure: the items of a thread as they would have been told while it ran. What the person said stands between them. */
export function outputsOf(threadId: string, items: Json[]): BackendOutput[] {
  const translator = new Translator(threadId)
  return items.flatMap((item): BackendOutput[] => {
    if (item.type === 'userMessage') {
      const text = textOf(item)
      return areRefusalWords(text) ? [] : [transcriptPrompt(text, imagesOf(item))]
    }
    const effects = translator.notification('item/completed', { threadId, item })
    return effects.flatMap((effect) =>
      effect.type === 'output' && effect.output.kind !== 'raw' ? [effect.output] : [],
    )
  })
}

const textOf = (message: Json): string =>
  asList(message.content)
    .flatMap((part) => asText(asRecord(part).text) ?? [])
    .join('\n')

const imagesOf = (message: Json): number =>
  asList(message.content).filter((part) => ['image', 'localImage'].includes(asText(asRecord(part).type) ?? '')).length

async function ask<T>(context: AdapterContext, converse: (rpc: Rpc) => Promise<T>): Promise<T> {
  const command = await findBinary(context)
  return withAppServer(context, command, timeoutMs, converse)
}

async function pagesOf(rpc: Rpc, method: string, about: Json, most: number): Promise<Json[]> {
  const found: Json[] = []
  let cursor: unknown
  do {
    const page = asRecord(await rpc.request(method, { ...about, limit: pageSize, ...(cursor ? { cursor } : {}) }))
    found.push(...asList(page.data).map(asRecord))
    cursor = page.nextCursor
  } while (cursor && found.length < most)
  return found.slice(0, most)
}
