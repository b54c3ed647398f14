/** Our control requests that wait for the CLI's answer. Each is settled once: answered, refused, too late, or gone. */
import { CodedError } from '@roundhouse/backend-types'
import { controlRequest, type Frame } from './frames'

interface Waiting {
  resolve(response: Frame): void
  reject(error: CodedError): void
}

export class Requests {
  private readonly waiting = new Map<string, Waiting>()
  private count = 0

  constructor(private readonly write: (frame: Frame) => void) {}

  /**
   * A refusal is `BACKEND_ERROR` with the CLI's own sentence. `onAnswer` is called before any frame behind the answer is
   * read, which a promise cannot say of itself.
   */
  ask(request: Frame, timeoutMs: number, onAnswer: (response: Frame) => void = () => {}): Promise<Frame> {
    this.count += 1
    const requestId = `rh-${this.count}`
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => {
        clearTimeout(timer)
        this.waiting.delete(requestId)
        then()
      }
      const late = new CodedError('BACKEND_TIMEOUT', `Claude Code did not answer within ${timeoutMs} ms.`)
      const timer = setTimeout(() => settle(() => reject(late)), timeoutMs)
      this.waiting.set(requestId, {
        resolve: (response) =>
          settle(() => {
            onAnswer(response)
            resolve(response)
          }),
        reject: (error) => settle(() => reject(error)),
      })
      this.write(controlRequest(requestId, request))
    })
  }

  /** An answer to nobody came too late. */
  answered({ requestId, response, error }: { requestId: string; response: Frame; error?: string }): void {
    const waiting = this.waiting.get(requestId)
    if (error === undefined) waiting?.resolve(response)
    else waiting?.reject(new CodedError('BACKEND_ERROR', error))
  }

  rejectAll(error: CodedError): void {
    for (const waiting of [...this.waiting.values()]) waiting.reject(error)
  }
}
