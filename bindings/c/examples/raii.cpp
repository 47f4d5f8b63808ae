// The library from C++11: handles that free themselves, failures as exceptions. The first part can be copied as it is.
//
//     raii DOCUMENT [CALL]
//
// Prints the section of a document such as session.json, and what is to be done with a call.

#include <mcp_working_set.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

namespace mws {

struct free_handle {
    void operator()(mws_working_set *set) const noexcept { mws_working_set_free(set); }
    void operator()(mws_call_context *context) const noexcept { mws_call_context_free(context); }
    void operator()(mws_plan *plan) const noexcept { mws_plan_free(plan); }
    void operator()(mws_error *error) const noexcept { mws_error_free(error); }
};

template <typename T> using handle = std::unique_ptr<T, free_handle>;

// A copy, so that it may outlive whatever it was borrowed from.
inline std::string text(mws_str borrowed) {
    return borrowed.data == nullptr ? std::string() : std::string(borrowed.data, borrowed.len);
}

inline std::string text(mws_string owned) {
    struct guard {
        mws_string *text;
        ~guard() { mws_string_free(text); }
    } const freed{&owned};
    return owned.data == nullptr ? std::string() : std::string(owned.data, owned.len);
}

class error : public std::runtime_error {
public:
    explicit error(mws_error *owned) : error(handle<mws_error>(owned)) {}

    mws_status status() const noexcept { return status_; }

private:
    explicit error(handle<mws_error> owned)
        : std::runtime_error(text(mws_error_message(owned.get()))), status_(mws_error_status(owned.get())) {}

    mws_status status_;
};

// Every function that can fail takes its places for answer and error last.
template <typename Out, typename... Parameters, typename... Arguments>
Out get(mws_status (*function)(Parameters...), Arguments... arguments) {
    Out out;
    mws_error *failure;
    if (function(arguments..., &out, &failure) != MWS_STATUS_OK) {
        throw error(failure);
    }
    return out;
}

class plan {
public:
    explicit plan(mws_plan *owned) : handle_(owned) {}

    bool executes() const noexcept { return mws_plan_kind(handle_.get()) == MWS_KIND_EXECUTE; }
    mws_outcome outcome() const noexcept { return mws_decision_outcome(mws_plan_decision(handle_.get())); }
    std::string reason() const { return text(mws_decision_reason(mws_plan_decision(handle_.get()))); }
    std::string tool_name() const { return text(mws_plan_tool_name(handle_.get())); }
    std::string arguments_json() const { return text(mws_plan_arguments_json(handle_.get())); }
    std::string result_json() const { return text(mws_plan_result_json(handle_.get())); }

private:
    handle<mws_plan> handle_;
};

class context {
public:
    explicit context(mws_execution_mode mode, mws_permission_level level = MWS_PERMISSION_LEVEL_READ_ONLY,
                     mws_locale locale = MWS_LOCALE_EN)
        : handle_(get<mws_call_context *>(mws_call_context_new, mode, level, locale)) {}

    const mws_call_context *get_handle() const noexcept { return handle_.get(); }

private:
    handle<mws_call_context> handle_;
};

class working_set {
public:
    explicit working_set(const std::string &json)
        : handle_(get<mws_working_set *>(mws_working_set_from_json, json.data(), json.size())) {}

    std::string section(mws_locale locale = MWS_LOCALE_EN) const {
        return text(get<mws_section>(mws_working_set_section, handle_.get(), locale).text);
    }

    std::string tool_definitions(mws_locale locale = MWS_LOCALE_EN) const {
        return text(get<mws_string>(mws_working_set_tool_definitions, handle_.get(), locale, MWS_LOAD_MODE_WORKING_SET));
    }

    plan plan_call(const std::string &arguments_json, const context &with) const {
        return plan(get<mws_plan *>(mws_working_set_plan_call, handle_.get(), arguments_json.data(),
                                    arguments_json.size(), with.get_handle()));
    }

private:
    handle<mws_working_set> handle_;
};

} // namespace mws

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: raii DOCUMENT [CALL]\n";
        return 2;
    }
    std::ifstream file(argv[1], std::ios::binary);
    const std::string document((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    try {
        const mws::working_set set(document);
        std::cout << set.section() << set.tool_definitions() << '\n';
        if (argc == 3) {
            const mws::context context(MWS_EXECUTION_MODE_LOCAL, MWS_PERMISSION_LEVEL_READ_WRITE);
            const mws::plan plan = set.plan_call(argv[2], context);
            if (!plan.executes()) {
                std::cout << "refused: " << plan.result_json() << '\n';
            } else {
                std::cout << (plan.outcome() == MWS_OUTCOME_ALLOW ? "run " : "ask, then run ") << plan.tool_name()
                          << ' ' << plan.arguments_json() << "\nbecause " << plan.reason() << '\n';
            }
        }
    } catch (const mws::error &failure) {
        std::cerr << "raii: " << failure.what() << " (status " << failure.status() << ")\n";
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
