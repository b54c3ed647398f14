/**
 * Questions to the running program (CMD-11). A question starts nothing, and the same question asked twice at once is asked of
 * the program once. What the program says is redacted, and cut to the shapes of the contract.
 */
import { CodedError, type QueryAnswer, type ReadQuery } from '@roundhouse/backend-types'
import type { Redactor } from '../../redact/redactor'
import { cleanValue } from '../../redact/value'
import { fittingAnswer } from './fitting-query-answer'
import type { RunningBackend } from './program-runner'

export interface QueryPorts {
  running(): RunningBackend | null
  redact: Redactor
  /** How long the program may take. Less than the hub waits. */
  limitMs?: number
}

const LIMIT_MS = 8_000

export class ProgramQueries {
  private readonly asked = new Map<ReadQuery, Promise<QueryAnswer>>()

  constructor(private readonly ports: QueryPorts) {}

  ask(method: ReadQuery): Promise<QueryAnswer> {
    const known = this.asked.get(method)
    if (known) return known
    const answer = this.find(method).finally(() => this.asked.delete(method))
    this.asked.set(method, answer)
    return answer
  }

  private async find(method: ReadQuery): Promise<QueryAnswer> {
    const running = this.ports.running()
    if (!running) throw new CodedError('NOT_RUNNING')
    const { adapter, process } = running
    if (!adapter.query) throw new CodedError('UNSUPPORTED', undefined, { method })
    const told = await this.inTime(adapter.query(process, method, {}))
    return fittingAnswer(method, cleanValue(told, this.ports.redact).value)
  }

  private inTime<T>(asked: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new CodedError('QUESTION_TIMEOUT')), this.ports.limitMs ?? LIMIT_MS)
    })
    return Promise.race([asked, late]).finally(() => clearTimeout(timer))
  }
}
