'use client'
import { useMe } from '../../live/use-me'
import { Loading } from '../../ui/forms/notice'
import { late } from '../../ui/overlays/late'
import { Page, Section } from '../../ui/page'
import { PlainText } from '../../ui/text/plain-text'
import { roleWords } from '../people/roles'
import { Identity } from './identity'
import { Logins } from './logins'
import { Passkeys } from './passkeys'
import { PasswordForm } from './password-form'
import { SecondStep } from './second-step'
import { Tokens } from './tokens'

const Chat = late(() => import('./chat').then((module) => module.Chat))
const Webhooks = late(() => import('../webhooks/webhooks').then((module) => module.Webhooks))

export function AccountPage() {
  const me = useMe()
  return (
    <Page title="Your account">
      {me ? (
        <>
          <Section title="You">
            <p className="[overflow-wrap:anywhere]">
              <PlainText>{me.name}</PlainText> <span className="text-ink-2">{me.email}</span>
            </p>
            <p className="text-ink-2 text-sm">
              {roleWords[me.role].label}. {roleWords[me.role].means}
            </p>
          </Section>
          <Section title="Where you are signed in">
            <Logins />
          </Section>
          <Section title="Password">
            <PasswordForm />
          </Section>
          <Section title="Two-factor authentication">
            <SecondStep />
          </Section>
          <Section title="Passkeys">
            <Passkeys />
          </Section>
          <Identity />
          <Section title="API tokens">
            <Tokens />
          </Section>
          <Section title="Chat">
            <Chat />
          </Section>
          <Section title="Webhooks">
            <Webhooks />
          </Section>
        </>
      ) : (
        <Loading>One moment…</Loading>
      )}
    </Page>
  )
}
