'use client'
import type { ComponentProps } from 'react'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import { type Components, Streamdown } from 'streamdown'
import { CodeBlock } from './code-block'

const schema = {
  ...defaultSchema,
  clobberPrefix: 'md-',
  protocols: { ...defaultSchema.protocols, href: ['http', 'https', 'mailto'] },
  tagNames: (defaultSchema.tagNames ?? []).filter(
    (name) => !['img', 'picture', 'source', 'input', 'details', 'summary'].includes(name),
  ),
}
const rehypePlugins: ComponentProps<typeof Streamdown>['rehypePlugins'] = [[rehypeSanitize, schema]]

const components: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ alt, src }) => <span className="text-ink-3">[image: {alt || String(src ?? '')}]</span>,
  code: ({ className, children }) => <CodeBlock className={className}>{children}</CodeBlock>,
  pre: ({ children }) => <>{children}</>,
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
}

export function MarkdownBody({ text, streaming }: { text: string; streaming: boolean }) {
  return (
    <Streamdown
      className="md"
      mode={streaming ? 'streaming' : 'static'}
      components={components}
      rehypePlugins={rehypePlugins}
      controls={false}
      linkSafety={{ enabled: false }}
    >
      {text}
    </Streamdown>
  )
}

function SafeLink({ href, children }: { href: string | undefined; children: React.ReactNode }) {
  if (!href || !/^(https?:|mailto:)/i.test(href)) return <span className="underline decoration-dotted">{children}</span>
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}
