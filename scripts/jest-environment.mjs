// Node's environment of Jest with an ordinary global object. Jest's own asks an interceptor of Node's for every `Math` and
// `Number`, which makes oracles three times as slow.
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

export default class extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} parameters */
  constructor(...parameters) {
    const { createContext } = vm;
    // Older versions of Node know no such context, and make the usual one of `undefined`.
    vm.createContext = () => createContext(vm.constants?.DONT_CONTEXTIFY);
    try {
      super(...parameters);
    } finally {
      vm.createContext = createContext;
    }
  }
}
