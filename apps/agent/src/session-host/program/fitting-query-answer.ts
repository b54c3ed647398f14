/**
 * The answer of a program to a query in the shape of the contract: only the fields that it names, texts and lists cut to
 * their limits. An entry that makes no sense is left out. Pure.
 */
import { type QueryAnswer, queryLimits, type ReadQuery } from '@roundhouse/backend-types'
import { z } from 'zod'

const { models, commands, servers, tools, name, text } = queryLimits

const cut = (most: number) => z.string().transform((value) => value.slice(0, most))
const Name = cut(name)
/** A value of a wrong type reads as absent. */
const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)
const Filled = Name.refine((value) => value !== '')

const list = <T extends z.ZodType>(entry: T, most: number) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((entries): Array<z.output<T>> => {
      const read = entries.flatMap((one) => {
        const { success, data } = entry.safeParse(one)
        return success ? [withoutAbsent(data)] : []
      })
      return read.slice(0, most) as Array<z.output<T>>
    })

const Model = z.object({
  value: Filled,
  displayName: maybe(Name),
  description: maybe(cut(text)),
  supportedEffortLevels: maybe(list(Name, 16)),
})
const Command = z.object({
  name: Filled,
  description: cut(400).catch(''),
  argumentHint: maybe(Name),
  aliases: maybe(list(Filled, 16)),
})
const Server = z.object({
  name: Filled,
  status: Name.catch('pending'),
  error: maybe(cut(text)),
  serverInfo: maybe(z.object({ name: maybe(Name), version: maybe(Name) }).transform(withoutAbsent)),
  tools: maybe(list(z.object({ name: Filled, description: maybe(cut(text)) }), tools)),
})
const Account = z
  .object({
    email: maybe(cut(text)),
    organization: maybe(cut(text)),
    subscriptionType: maybe(Name),
    tokenSource: maybe(Name),
    apiKeySource: maybe(Name),
  })
  .transform(withoutAbsent)
  .catch({})

/** Serialised, with room for the rest of a frame. */
const MOST_CHARS = 256 * 1024

export function fittingAnswer(method: ReadQuery, told: unknown): QueryAnswer {
  switch (method) {
    case 'supportedModels':
      return { method, result: within(list(Model, models).parse(told)) }
    case 'supportedCommands':
      return { method, result: within(list(Command, commands).parse(told)) }
    case 'mcpServerStatus':
      return { method, result: within(list(Server, servers).parse(told)) }
    case 'accountInfo':
      return { method, result: Account.parse(told) }
  }
}

/** As many entries as there is room for. */
function within<T>(entries: T[]): T[] {
  let left = MOST_CHARS
  return entries.filter((entry) => {
    left -= JSON.stringify(entry).length
    return left >= 0
  })
}

function withoutAbsent<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}
