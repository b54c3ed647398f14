/** What is wrong with a value, and where, in the words of a page: zod's own name types of its own, such as `record` and `tuple`. Pure. */
import type { z } from 'zod'

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
}

const formats: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address',
  url: 'must be a web address',
  base64: 'must be Base64',
}

const units: Readonly<Record<string, readonly [one: string, more: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  tuple: ['entry', 'entries'],
}

export interface Fault {
  /** Where, in dots. Empty: the value itself. */
  path: string
  /** Where and what, without the value. */
  text: string
}

/** The first problem. `name`: what the value itself is called. `under`: what stands in front of every place in it. */
export function firstFault({ issues: [issue] }: Pick<z.ZodError, 'issues'>, name: string, under = ''): Fault {
  const path = [under, ...(issue?.path ?? []).map(String)].filter((part) => part !== '').join('.')
  return { path, text: `${path || name}: ${issue ? valueFault(issue) : 'is not valid'}` }
}

/** Sentences of zod. One of our own stays. */
const foreign =
  /^(Invalid (input|option|discriminator|string|number|key|element|email|URL|base64)|Too (small|big)|Unrecognized key)/

/** The end of a sentence that begins with the value's place. */
export function valueFault(issue: z.core.$ZodIssue): string {
  const { message } = issue
  if (!foreign.test(message)) return message
  if (message.endsWith('received undefined')) return 'is missing'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options) ? oneOf(issue.options) : 'is not valid'
    case 'invalid_format':
      return formats[issue.format] ?? 'does not have the right form'
    case 'too_small':
      return `must ${limit(issue.inclusive === false ? 'more than' : 'at least', issue.origin, issue.minimum)}`
    case 'too_big':
      return `must ${limit(issue.inclusive === false ? 'less than' : 'at most', issue.origin, issue.maximum)}`
    case 'unrecognized_keys':
      return `must not have ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
    default:
      return 'is not valid'
  }
}

/** More than a person reads in a sentence. */
const MOST_NAMED = 12

function oneOf(values: readonly unknown[]): string {
  if (values.length > MOST_NAMED) return 'is not a known value'
  const named = values.map((one) => (typeof one === 'bigint' ? String(one) : JSON.stringify(one)))
  return `must be ${values.length > 1 ? 'one of ' : ''}${named.join(', ')}`
}

function limit(bound: string, origin: string, value: number | bigint): string {
  const unit = units[origin]
  return unit === undefined
    ? `be ${bound} ${value}`
    : `have ${bound} ${value} ${Number(value) === 1 ? unit[0] : unit[1]}`
}
