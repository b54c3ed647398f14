/** What is wrong with a value, in the words of a page: zod's own name types of its own, such as `record` and `tuple`. Pure. */
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

const units: Readonly<Record<string, readonly [one: string, more: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  tuple: ['entry', 'entries'],
}

/** The end of a sentence that begins with the value's place. A sentence of our own stays. */
export function valueFault(issue: z.core.$ZodIssue): string {
  const { message } = issue
  if (!/^(Invalid (input|option)|Too (small|big)|Unrecognized key)/.test(message)) return message
  switch (issue.code) {
    case 'invalid_type':
      if (message.endsWith('received undefined')) return 'is missing'
      return `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((one) => JSON.stringify(one)).join(', ')}`
    case 'too_small':
      return `must ${limit('at least', issue.origin, issue.minimum)}`
    case 'too_big':
      return `must ${limit('at most', issue.origin, issue.maximum)}`
    case 'unrecognized_keys':
      return `has no key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
    default:
      return 'is not valid'
  }
}

function limit(bound: string, origin: string, value: number | bigint): string {
  const unit = units[origin]
  return unit === undefined
    ? `be ${bound} ${value}`
    : `have ${bound} ${value} ${Number(value) === 1 ? unit[0] : unit[1]}`
}
