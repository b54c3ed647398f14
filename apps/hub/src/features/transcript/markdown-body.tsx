'use client'
import { type ComponentProps, isValidElement } from 'react'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import { type Components, Streamdown } from 'streamdown'
import { CodeBlock } from './code-block'
import { hiddenHost } from './hidden-host'

const schema = {
  ...defaultSchema,
  clobberPrefix: 'md-',
  protocols: { ...defaultSchema.protocols, href: ['http', 'https', 'mailto'] },
  tagNames: (defaultSchema.tagNames ?? []).filter(
    (name) => !['img', 'picture', 'source', 'details', 'summary'].includes(name),
  ),
}
const rehypePlugins: ComponentProps<typeof Streamdown>['rehypePlugins'] = [[rehypeSanitize, schema]]

const components: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ alt, src }) => <span className="text-ink-3">[image: {alt || String(src ?? '')}]</span>,
  code: ({ className, children }) => <CodeBlock className={className}>{children}</CodeBlock>,
  pre: ({ children }) => <>{children}</>,
  // Only ever the box of a task list; a picture of one, since it cannot be ticked.
  input: ({ checked }) => (
    <span role="img" aria-label={checked ? 'done' : 'open'} className="mr-1.5 text-ink-2">
      {checked ? '☑' : '☐'}
    </span>
  ),
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
  const host = hiddenHost(href, textOf(children))
  return (
    <>
      <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
      {host ? <span className="text-ink-3 text-xs"> ({host})</span> : null}
    </>
  )
}

function textOf(node: React.ReactNode): string {
  if (Array.isArray(node)) return node.map(textOf).join('')
  if (isValidElement<{ children?: React.ReactNode }>(node)) return textOf(node.props.children)
  return typeof node === 'string' || typeof node === 'number' ? String(node) : ''
}
