/** The description of a service's interfaces, from the schemas by which it checks requests. */

/** A route, as it is registered. */
export interface Described {
  readonly method: string;
  readonly url: string;
  readonly schema: {
    readonly summary?: string;
    readonly tags?: readonly string[];
    readonly security?: readonly object[];
    readonly body?: unknown;
    readonly params?: unknown;
    readonly querystring?: unknown;
    readonly response?: unknown;
  };
}

interface Properties {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** OpenAPI 3.1, whose schemas are JSON Schema. */
export function describeRoutes(routes: readonly Described[], version: string, failure: unknown): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, url, schema } of routes) {
    const { summary, tags, security, body, params, querystring, response } = schema;
    const path = url.replace(/:(\w+)/g, '{$1}');
    const parameters = [...parametersOf(params, 'path'), ...parametersOf(querystring, 'query')];
    const content = (of: unknown) => ({ 'application/json': { schema: of } });
    const answer =
      response === undefined
        ? { description: 'done' }
        : { description: 'the answer', content: content((response as Record<string, unknown>)['200']) };
    (paths[path] ??= {})[method.toLowerCase()] = {
      ...{ summary, tags, security },
      ...(parameters.length > 0 && { parameters }),
      ...(body !== undefined && { requestBody: { required: true, content: content(body) } }),
      responses: { '2XX': answer, default: { description: 'a refusal', content: content(failure) } },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'The best implementation of every operator', version },
    paths,
    components: {
      securitySchemes: {
        query: { type: 'http', scheme: 'bearer', description: 'if the service asks for one' },
        maintain: { type: 'http', scheme: 'bearer' },
        explorer: {
          ...{ type: 'apiKey', in: 'header', name: 'authorization' },
          description:
            'Cipherloom-Explorer PUBLIC_KEY TIME SIGNATURE: Ed25519 over origin, method, path, time and body',
        },
      },
    },
  };
}

function parametersOf(schema: unknown, where: 'path' | 'query'): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Properties;
  return Object.entries(properties).map(([name, of]) => ({
    ...{ name, in: where, required: where === 'path' || required.includes(name), schema: of },
  }));
}
