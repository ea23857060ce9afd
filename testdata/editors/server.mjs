// A client of yaml-language-server, as small as an editor can be.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('node_modules/yaml-language-server/bin/yaml-language-server', import.meta.url))

export class Server {
  #next = 1
  #calls = new Map()
  #published = new Map()
  #rest = Buffer.alloc(0)

  constructor() {
    this.process = spawn(process.execPath, [program, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.process.stdout.on('data', (data) => this.#receive(data))
  }

  async start() {
    await this.call('initialize', { processId: process.pid, rootUri: null, capabilities: {} })
    this.#send({ method: 'initialized', params: {} })
  }

  stop() {
    this.process.kill()
  }

  call(method, params) {
    const id = this.#next++
    this.#send({ id, method, params })
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }))
  }

  // open shows the server a document and waits for what it says about it.
  open(uri, text) {
    const answer = new Promise((resolve) => this.#published.set(uri, resolve))
    this.#send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'yaml', version: 1, text } } })
    return answer
  }

  async completion(uri, position) {
    const result = await this.call('textDocument/completion', { textDocument: { uri }, position })
    return result.items.map((item) => item.label)
  }

  async hover(uri, position) {
    const result = await this.call('textDocument/hover', { textDocument: { uri }, position })
    return result?.contents?.value ?? ''
  }

  #send(message) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }

  #receive(data) {
    this.#rest = Buffer.concat([this.#rest, data])
    for (;;) {
      const end = this.#rest.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/Content-Length: (\d+)/i.exec(this.#rest.subarray(0, end).toString())[1])
      if (this.#rest.length < end + 4 + length) return
      const message = JSON.parse(this.#rest.subarray(end + 4, end + 4 + length))
      this.#rest = this.#rest.subarray(end + 4 + length)
      this.#handle(message)
    }
  }

  #handle(message) {
    if (message.method === 'textDocument/publishDiagnostics') {
      this.#published.get(message.params.uri)?.(message.params.diagnostics)
    } else if (message.method && message.id !== undefined) {
      const many = message.method === 'workspace/configuration'
      this.#send({ id: message.id, result: many ? message.params.items.map(() => null) : null })
    } else if (this.#calls.has(message.id)) {
      const { resolve, reject } = this.#calls.get(message.id)
      this.#calls.delete(message.id)
      if (message.error) reject(new Error(message.error.message))
      else resolve(message.result)
    }
  }
}
