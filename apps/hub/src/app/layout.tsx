import '@fontsource-variable/inter/index.css'
import '@fontsource-variable/jetbrains-mono/index.css'
import './globals.css'
import { proofHeaders } from '@roundhouse/backend-types'
import type { Metadata, Viewport } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { bootScript } from './boot-script'
import { Providers } from './providers'

export const metadata: Metadata = { title: { default: 'Roundhouse', template: '%s · Roundhouse' } }
export const viewport: Viewport = { width: 'device-width', initialScale: 1, viewportFit: 'cover' }

/** Reading the headers makes every route dynamic, which is what gives each page its nonce. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const given = await headers()
  const policy = given.get('content-security-policy') ?? ''
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
  return (
    <html lang="en" suppressHydrationWarning>
      <head>
        <meta name={proofHeaders.nonce} content={given.get(proofHeaders.nonce) ?? ''} />
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own constant text, with the nonce of this request */}
        <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: bootScript(nonce) }} />
      </head>
      <body>
        <Providers>{children}</Providers>
      </body>
    </html>
  )
}
