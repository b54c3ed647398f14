/**
 * The one error table: code -> HTTP status, retryable, title. REST answers `{ error: ErrorBody }`, socket answers
 * `{ ok: false, error: ErrorBody }`, both with the same inner object. Branch on the code, never on the text.
 */
import { z } from 'zod'
import { isLack, lackOf } from './lack'
import { firstFault } from './value-fault'

interface ErrorRow {
  status: number
  retryable: boolean
  /** A plain sentence for people, used where the thrower gives none. */
  title: string
}

const rows = {
  // input
  INVALID_ARGUMENT: { status: 400, retryable: false, title: 'A value in the request is not valid.' },
  MALFORMED_FRAME: { status: 400, retryable: false, title: 'The message does not have the expected format.' },
  FRAME_TOO_LARGE: { status: 413, retryable: false, title: 'The message is larger than the agreed limit.' },
  PROMPT_TOO_LARGE: { status: 413, retryable: false, title: 'The prompt is too large.' },
  MESSAGE_INVALID: { status: 422, retryable: false, title: 'The message is not valid.' },
  MESSAGE_TOO_LARGE: { status: 413, retryable: false, title: 'The message is too large.' },
  SCHEMA_UNKNOWN: { status: 422, retryable: false, title: 'There is no schema with that name.' },
  TOPIC_FORBIDDEN: { status: 403, retryable: false, title: 'You may not publish on that topic.' },
  BUS_FULL: { status: 507, retryable: false, title: 'The messages of the bus take as much room as they may.' },
  TOO_MANY_SESSIONS: { status: 409, retryable: false, title: 'That would command too many sessions at once.' },
  PHASE_ILLEGAL: { status: 409, retryable: false, title: 'This phase cannot follow the current one.' },
  IMAGE_INVALID: { status: 422, retryable: false, title: 'This is not a PNG, JPEG, WebP or GIF image.' },
  IMAGE_TOO_LARGE: { status: 413, retryable: false, title: 'The image is larger than 5 MB.' },
  TOO_MANY_IMAGES: { status: 422, retryable: false, title: 'A prompt takes at most 10 images.' },
  IMAGE_NOT_FOUND: { status: 404, retryable: false, title: 'The image is missing. Attach it again.' },
  IMAGES_FULL: { status: 429, retryable: false, title: 'There are too many images here already.' },
  ARTIFACT_GONE: { status: 410, retryable: false, title: 'The machine no longer has it.' },
  PATH_NOT_ALLOWED: { status: 403, retryable: false, title: 'The folder is outside the folders this machine allows.' },
  ADDRESS_NOT_ALLOWED: { status: 422, retryable: false, title: 'The hub does not send to that address.' },
  WEBHOOKS_FULL: { status: 429, retryable: false, title: 'There are as many webhooks as there may be.' },
  MESSAGE_GONE: { status: 410, retryable: false, title: 'The hub no longer has that message.' },
  IDEMPOTENCY_KEY_REQUIRED: { status: 400, retryable: false, title: 'This request needs an Idempotency-Key header.' },
  IDEMPOTENCY_MISMATCH: { status: 422, retryable: false, title: 'The Idempotency-Key was used with another body.' },
  NOT_FOUND: { status: 404, retryable: false, title: 'Not found.' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, title: 'This address does not support that method.' },
  RATE_LIMITED: { status: 429, retryable: true, title: 'Too many attempts. Wait a moment and try again.' },
  UNSUPPORTED: { status: 422, retryable: false, title: 'This program cannot do that.' },
  // who
  AUTH_REQUIRED: { status: 401, retryable: false, title: 'Sign in first.' },
  PROOF_STALE: { status: 401, retryable: true, title: 'Sign this request again with the nonce from this response.' },
  KEY_REQUIRED: {
    status: 401,
    retryable: false,
    title: 'The browser key that every sign-in needs is missing.',
  },
  AUTH_FAILED: { status: 401, retryable: false, title: 'The credential was not accepted.' },
  FORBIDDEN: { status: 403, retryable: false, title: 'You are not allowed to do that.' },
  HOST_NOT_ALLOWED: { status: 421, retryable: false, title: 'This hub does not answer under that host name.' },
  ORIGIN_NOT_ALLOWED: { status: 403, retryable: false, title: 'Requests from that site are not accepted.' },
  SETUP_INVALID: { status: 403, retryable: false, title: 'The setup code is wrong, used or expired.' },
  ENROLLMENT_INVALID: { status: 401, retryable: false, title: 'The enrollment token was not accepted.' },
  INVITATION_INVALID: { status: 403, retryable: false, title: 'The invitation is wrong, used or expired.' },
  NAME_NOT_ALLOWED: { status: 422, retryable: false, title: 'Choose another name.' },
  EMAIL_TAKEN: { status: 409, retryable: false, title: 'This e-mail address is already in use.' },
  LAST_OWNER: { status: 409, retryable: false, title: 'A hub needs at least one owner who can sign in.' },
  SHOWN_ONCE: { status: 410, retryable: false, title: 'It was shown once and is not stored. Create a new one.' },
  IDENTITY_PROVIDER_UNAVAILABLE: { status: 502, retryable: true, title: 'The identity provider is not responding.' },
  CHANNEL_OFF: { status: 409, retryable: false, title: 'No bot is set up for this channel.' },
  CHANNEL_TOKEN_WRONG: { status: 422, retryable: false, title: 'The chat service does not know this token.' },
  CHANNEL_UNREACHABLE: { status: 502, retryable: true, title: 'The chat service is not responding.' },
  HUB_KEY_MISMATCH: { status: 403, retryable: false, title: 'This is not the hub that the command was created for.' },
  AGENT_CLONED: { status: 403, retryable: false, title: 'A copy of this machine, or a restored disk, has connected.' },
  AGENT_REVOKED: { status: 403, retryable: false, title: 'This machine was revoked.' },
  AGENT_DISABLED: { status: 403, retryable: true, title: 'This machine is disabled.' },
  AGENT_PENDING: { status: 403, retryable: true, title: 'This machine is waiting for approval at the hub.' },
  POLICY_DENIED: { status: 403, retryable: false, title: "The machine's own policy does not allow that." },
  INSECURE_SECRET: { status: 500, retryable: false, title: 'The configured secret is too weak.' },
  INSECURE_BIND: { status: 500, retryable: false, title: 'Refusing to listen beyond this machine without protection.' },
  // link and log
  PROTOCOL_UNSUPPORTED: { status: 426, retryable: false, title: 'The two programs speak different protocol versions.' },
  FENCED: { status: 409, retryable: false, title: 'A newer connection of this machine has taken over.' },
  SEQ_GAP: { status: 409, retryable: true, title: 'Events are missing before this one.' },
  SEQ_CONFLICT: { status: 409, retryable: false, title: 'Another event already has this number.' },
  FLOW_VIOLATION: { status: 429, retryable: true, title: 'The other side sent more than it may.' },
  SESSION_BLOCKED: { status: 409, retryable: false, title: 'The stream of this session is blocked.' },
  SESSION_NOT_FOUND: { status: 404, retryable: false, title: 'Session not found.' },
  SESSION_NOT_YOURS: { status: 403, retryable: false, title: 'That session belongs to another machine.' },
  SESSION_ENDED: { status: 409, retryable: false, title: 'The session has ended.' },
  SESSION_DELETED: { status: 410, retryable: false, title: 'The session was deleted.' },
  HUB_RESTORED: { status: 409, retryable: true, title: 'The hub was restored to an earlier state. Connect again.' },
  ACK_UNKNOWN: {
    status: 409,
    retryable: false,
    title: 'The machine refers to acknowledgements that this hub never sent.',
  },
  CLOCK_SKEW: { status: 409, retryable: true, title: "The machine's clock differs from the hub's." },
  TOO_FAR: { status: 409, retryable: false, title: 'Too far behind. Load a snapshot.' },
  STORAGE_UNAVAILABLE: { status: 503, retryable: true, title: 'The storage is not responding. Nothing was lost.' },
  STORAGE_DAMAGED: { status: 503, retryable: false, title: "The hub's file is damaged where this is stored." },
  STATE_UNWRITABLE: { status: 500, retryable: false, title: "The agent's state folder cannot be written." },
  DISK_FULL: {
    status: 507,
    retryable: true,
    title: "The machine's disk is full. Free up space on it and try again.",
  },
  DISK_FAILING: {
    status: 503,
    retryable: true,
    title: "The machine's disk refuses to write. Try again when it works.",
  },
  OUT_OF_RESOURCES: {
    status: 503,
    retryable: true,
    title: 'There are too many processes or open files now. Try again later.',
  },
  FOLDER_UNAVAILABLE: {
    status: 503,
    retryable: true,
    title: 'The folder is not responding. Try again when its disk or its network works.',
  },
  ALREADY_RUNNING: { status: 409, retryable: false, title: 'Another process already holds this.' },
  // commands
  AGENT_OFFLINE: { status: 503, retryable: true, title: 'The machine is not connected.' },
  COMMAND_EXPIRED: { status: 410, retryable: false, title: 'The command expired before the machine took it.' },
  QUESTION_TIMEOUT: { status: 504, retryable: true, title: 'The machine did not answer in time.' },
  ALREADY_STARTED: { status: 409, retryable: false, title: 'That prompt has already started.' },
  REV_CHANGED: { status: 409, retryable: true, title: 'It was changed in the meantime.' },
  ALREADY_ENDED: { status: 409, retryable: false, title: 'That turn has already ended.' },
  NOT_RUNNING: { status: 409, retryable: false, title: 'The program of this session is not running.' },
  TURN_RUNNING: { status: 409, retryable: true, title: 'A turn is running. Stop it, or wait for its end.' },
  // trees of sessions
  SPAWNING_OFF: { status: 403, retryable: false, title: 'No person has allowed this session to start other sessions.' },
  TREE_LIMIT: { status: 409, retryable: false, title: 'The tree of sessions has reached a limit.' },
  TREE_STOPPED: { status: 409, retryable: false, title: 'The tree of sessions was stopped.' },
  NOT_IN_TREE: { status: 404, retryable: false, title: 'There is no such session in this tree.' },
  // permission
  PERMISSION_ALREADY_DECIDED: { status: 409, retryable: false, title: 'Someone else has already decided this.' },
  REQUEST_GONE: { status: 410, retryable: false, title: 'The program that asked is gone.' },
  DIGEST_MISMATCH: { status: 409, retryable: false, title: 'The action is no longer the one that was shown.' },
  FORM_UNREADABLE: { status: 422, retryable: false, title: 'The form cannot be shown. You can only deny it.' },
  ANSWER_INVALID: { status: 422, retryable: false, title: 'An answer is missing or does not fit the question.' },
  EDIT_NOT_ALLOWED: { status: 422, retryable: false, title: 'This input cannot be edited here.' },
  // what programs ask on the bus
  ASK_CLOSED: { status: 409, retryable: false, title: 'The program does not wait for this answer any more.' },
  // backends
  BACKEND_UNAVAILABLE: { status: 503, retryable: false, title: 'The program is not installed on that machine.' },
  BACKEND_VERSION: { status: 503, retryable: false, title: "The program's version is outside the allowed range." },
  BACKEND_AUTH: { status: 502, retryable: false, title: 'The program is not logged in, or its key was refused.' },
  CONVERSATION_TOO_LONG: {
    status: 413,
    retryable: false,
    title: 'The conversation is longer than the model can read.',
  },
  MODEL_UNAVAILABLE: {
    status: 422,
    retryable: false,
    title: 'The model does not exist, or is not available to this account.',
  },
  BACKEND_QUOTA: { status: 502, retryable: true, title: "The program's quota is used up." },
  BACKEND_OVERLOADED: { status: 502, retryable: true, title: 'The model service is overloaded.' },
  BACKEND_ERROR: { status: 502, retryable: true, title: 'The program reported an error.' },
  BACKEND_CRASHED: { status: 502, retryable: true, title: 'The program ended unexpectedly.' },
  BACKEND_TIMEOUT: { status: 504, retryable: true, title: 'The program did not start in time.' },
  RESUME_UNAVAILABLE: { status: 410, retryable: false, title: 'The program no longer knows this conversation.' },
  // the provider contract (packages/runtime)
  NO_PROVIDER: { status: 404, retryable: false, title: 'There is no provider with that name.' },
  PROVIDER_UNAVAILABLE: { status: 503, retryable: false, title: 'The program is missing or does not run.' },
  SPAWN_FAILED: { status: 502, retryable: true, title: 'The session could not be started.' },
  INTERNAL: { status: 500, retryable: true, title: 'Something went wrong inside Roundhouse.' },
} satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof rows
export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = rows
export const errorCodes = Object.keys(rows) as [ErrorCode, ...ErrorCode[]]

export const ErrorBody = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
  retryable: z.boolean(),
})
export type ErrorBody = z.infer<typeof ErrorBody>

/** What REST answers with an error's status. */
export const ErrorReply = z.object({ error: ErrorBody })

/** The one error class that crosses a room. `details` never holds a secret. */
export class CodedError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined

  constructor(code: ErrorCode, message?: string, details?: Record<string, unknown>, cause?: unknown) {
    super(message ?? errorTable[code].title, cause === undefined ? undefined : { cause })
    this.name = 'CodedError'
    this.code = code
    this.details = details
  }

  get status(): number {
    return errorTable[this.code].status
  }

  toBody(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      ...(this.details ? { details: this.details } : {}),
      retryable: errorTable[this.code].retryable,
    }
  }
}

/**
 * The funnel at every edge: whatever was thrown becomes a `CodedError`; what the system had no room for is
 * `OUT_OF_RESOURCES`, and strangers become `INTERNAL`, both with their cause.
 */
export function toCodedError(thrown: unknown): CodedError {
  if (thrown instanceof CodedError) return thrown
  if (thrown instanceof z.ZodError) {
    const { path, text } = firstFault(thrown, 'request')
    return new CodedError('INVALID_ARGUMENT', text, { path }, thrown)
  }
  if (isLack(thrown)) return outOfResources(thrown)
  return new CodedError('INTERNAL', undefined, undefined, thrown)
}

/** Names what the system said, without the file that it said it of. */
export function outOfResources(cause?: unknown): CodedError {
  const { title } = errorTable.OUT_OF_RESOURCES
  const said = lackOf(cause)
  const message = said === null ? title : title.replace('now.', `now (${said}).`)
  return new CodedError('OUT_OF_RESOURCES', message, undefined, cause)
}

/** A `CodedError` from what a peer sent. Unknown codes keep their text and become `INTERNAL`. */
export function fromErrorBody(body: ErrorBody): CodedError {
  const code = Object.hasOwn(rows, body.code) ? (body.code as ErrorCode) : 'INTERNAL'
  return new CodedError(code, body.message, body.details)
}

/** Every socket acknowledgement has this shape. */
export type Reply<T extends object = object> = ({ ok: true } & T) | { ok: false; error: ErrorBody }
