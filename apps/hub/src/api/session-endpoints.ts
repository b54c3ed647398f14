import * as T from '@roundhouse/backend-types'
import { z } from 'zod'
import type { Core } from '../core'
import { type Endpoint, endpoint } from './endpoint'

const tag = 'sessions'
const gone = ['SESSION_NOT_FOUND', 'SESSION_DELETED'] as const
const SnapshotQuery = z.object({ limit: z.coerce.number().int().min(1).max(1_000).optional() })

export function sessionEndpoints({ sessions, permissions, inbox }: Core): Endpoint[] {
  const command = { method: 'post', tag, answer: T.CommandMade, status: 202 } as const
  return [
    endpoint(
      { method: 'get', path: '/inbox', summary: 'What needs this person, runs, or ran lately', tag, answer: T.Inbox },
      ({ actor }) => inbox.get(actor),
    ),
    endpoint(
      {
        method: 'get',
        path: '/sessions',
        summary: 'List sessions',
        tag,
        query: T.SessionsQuery,
        answer: T.SessionsList,
      },
      ({ actor, query }) => sessions.list(actor, query),
    ),
    endpoint(
      {
        ...command,
        status: 201,
        path: '/sessions',
        summary: 'Create a session',
        body: T.CreateSessionRequest,
        errors: ['NOT_FOUND'],
      },
      ({ actor, body, key }) => sessions.create(actor, body, key),
    ),
    endpoint(
      {
        method: 'get',
        path: '/sessions/:sessionId',
        summary: 'Snapshot of a session with its latest page',
        tag,
        query: SnapshotQuery,
        answer: T.Snapshot,
        errors: gone,
      },
      ({ actor, id, query }) => sessions.snapshot(actor, id.sessionId ?? '', query.limit),
    ),
    endpoint(
      {
        method: 'get',
        path: '/sessions/:sessionId/events',
        summary: 'Stored events, upwards or downwards',
        tag,
        query: T.EventsQuery,
        answer: T.EventsPage,
        errors: gone,
      },
      ({ actor, id, query }) => sessions.events(actor, id.sessionId ?? '', query),
    ),
    endpoint(
      {
        method: 'get',
        path: '/sessions/:sessionId/files',
        summary: 'Files of its work folder that a prompt may name',
        tag,
        query: T.FilesQuery,
        answer: T.FilesReply,
        errors: [
          ...gone,
          'AGENT_OFFLINE',
          'QUESTION_TIMEOUT',
          'FOLDER_UNAVAILABLE',
          'PATH_NOT_ALLOWED',
          'RATE_LIMITED',
        ],
      },
      ({ actor, id, query }) => sessions.files(actor, id.sessionId ?? '', query.query),
    ),
    endpoint(
      {
        method: 'get',
        path: '/sessions/:sessionId/commands',
        summary: 'Slash commands that its program takes',
        tag,
        answer: T.CommandsReply,
        errors: [...gone, 'AGENT_OFFLINE', 'QUESTION_TIMEOUT'],
      },
      ({ actor, id }) => sessions.commands(actor, id.sessionId ?? ''),
    ),
    endpoint(
      {
        method: 'patch',
        path: '/sessions/:sessionId',
        summary: 'Rename or archive',
        tag,
        body: T.RenameRequest,
        answer: T.SessionSummary,
        errors: gone,
      },
      ({ actor, id, body }) => sessions.rename(actor, id.sessionId ?? '', body),
    ),
    endpoint(
      {
        ...command,
        method: 'delete',
        path: '/sessions/:sessionId',
        summary: 'Delete a session for good',
        errors: gone,
      },
      ({ actor, id, key }) => sessions.remove(actor, id.sessionId ?? '', key),
    ),
    endpoint(
      {
        ...command,
        path: '/sessions/:sessionId/prompts',
        summary: 'Send a prompt',
        body: T.PromptRequest,
        errors: [...gone, 'SESSION_ENDED', 'PROMPT_TOO_LARGE', 'TOO_MANY_IMAGES', 'IMAGE_NOT_FOUND', 'UNSUPPORTED'],
      },
      ({ actor, id, body, key }) => sessions.prompt(actor, id.sessionId ?? '', body, key),
    ),
    endpoint(
      {
        ...command,
        path: '/sessions/:sessionId/queue',
        summary: 'Edit, remove, move or release queued prompts',
        body: T.QueueEditRequest,
        errors: gone,
      },
      ({ actor, id, body, key }) => sessions.queue(actor, id.sessionId ?? '', body, key),
    ),
    endpoint(
      {
        ...command,
        path: '/sessions/:sessionId/interrupt',
        summary: 'End the running turn',
        body: T.InterruptRequest,
        errors: [...gone, 'ALREADY_ENDED'],
      },
      ({ actor, id, body, key }) => sessions.interrupt(actor, id.sessionId ?? '', body, key),
    ),
    endpoint(
      {
        ...command,
        path: '/sessions/:sessionId/stop-task',
        summary: 'End a helper or a command that runs in the background',
        body: T.StopTaskRequest,
        errors: [...gone, 'ALREADY_ENDED', 'UNSUPPORTED'],
      },
      ({ actor, id, body, key }) => sessions.stopTask(actor, id.sessionId ?? '', body, key),
    ),
    endpoint(
      {
        ...command,
        path: '/sessions/:sessionId/resume',
        summary: 'Start the backend again',
        body: T.ResumeRequest,
        errors: [...gone, 'SESSION_ENDED'],
      },
      ({ actor, id, body, key }) => sessions.resume(actor, id.sessionId ?? '', body, key),
    ),
    endpoint(
      {
        ...command,
        path: '/sessions/:sessionId/configure',
        summary: 'Change model, mode, sandbox or thinking',
        body: T.ConfigureRequest,
        errors: gone,
      },
      ({ actor, id, body, key }) => sessions.configure(actor, id.sessionId ?? '', body, key),
    ),
    endpoint(
      { ...command, path: '/sessions/:sessionId/stop', summary: 'End the session', errors: gone },
      ({ actor, id, key }) => sessions.stop(actor, id.sessionId ?? '', key),
    ),
    endpoint(
      {
        ...command,
        path: '/sessions/:sessionId/end-process',
        summary: 'End the backend process; the session stays resumable',
        errors: gone,
      },
      ({ actor, id, key }) => sessions.endProcess(actor, id.sessionId ?? '', key),
    ),
    endpoint(
      {
        ...command,
        path: '/sessions/:sessionId/grants/:grantId/revoke',
        summary: 'Revoke an active permission',
        errors: gone,
      },
      ({ actor, id, key }) => sessions.revokeGrant(actor, id.sessionId ?? '', id.grantId ?? '', key),
    ),
    endpoint(
      {
        method: 'delete',
        path: '/sessions/:sessionId/commands/:commandId',
        summary: 'Dismiss a command that failed',
        tag,
        answer: z.object({ ok: z.literal(true) }),
        errors: gone,
      },
      async ({ actor, id }) => {
        await sessions.dismissCommand(actor, id.sessionId ?? '', id.commandId ?? '')
        return { ok: true as const }
      },
    ),
    endpoint(
      {
        method: 'post',
        path: '/permissions/:requestId/decision',
        summary: 'Answer a permission request',
        tag: 'permissions',
        body: T.DecisionRequest,
        answer: T.RequestView,
        errors: ['NOT_FOUND', 'PERMISSION_ALREADY_DECIDED', 'REQUEST_GONE', 'DIGEST_MISMATCH', 'EDIT_NOT_ALLOWED'],
      },
      ({ actor, id, body, key, device }) => permissions.decide(actor, id.requestId ?? '', body, key, device),
    ),
  ]
}
